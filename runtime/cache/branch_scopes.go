package cache

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
)

// scopePlan says which branches an informer has: one for each namespace, or each object, of a set.
type scopePlan struct {
	about *SourceInfo
	store *store
}

// next returns the branches for the present set, some of which may be new, and a channel that is closed
// when the set changes.
func (p *scopePlan) next(before []*branch) ([]*branch, <-chan struct{}, error) {
	scopes, changed := p.about.Scopes()
	known := make(map[types.NamespacedName]*branch, len(before))
	for _, branch := range before {
		known[branch.scope] = branch
	}
	var next []*branch
	taken := make(map[types.NamespacedName]bool, len(scopes))
	for _, scope := range scopes {
		switch {
		case p.about.Named && scope.Name == "":
			return nil, nil, errors.New(`name "" in a set of names: it stands for no object`)
		case !p.about.Named && scope.Namespace == "":
			return nil, nil, errors.New(`namespace "" in a set of namespaces: it stands for all of them, which need a source of their own`)
		case taken[scope]:
			continue
		}
		taken[scope] = true
		one := known[scope]
		if one == nil {
			one = &branch{source: p.about.In(scope), scope: scope}
		}
		next = append(next, one)
	}
	return next, changed, nil
}

// assign returns the branch that each object belongs to.
func (p *scopePlan) assign(branches []*branch) *assignment {
	a := &assignment{scopes: make(map[types.NamespacedName]*branch, len(branches)), named: p.about.Named}
	why := cause.NamespaceLeft
	if a.named {
		why = cause.Released
	}
	a.cause = &cause.Cause{Kind: why}
	for _, branch := range branches {
		a.scopes[branch.scope] = branch
	}
	return a
}

// foreign is the error for an object that belongs to none of the branches.
func (p *scopePlan) foreign(obj metav1.Object) error {
	if p.about.Named {
		return notFollowed(types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()})
	}
	return fmt.Errorf("namespace %q is not one that the informer follows", obj.GetNamespace())
}

func notFollowed(key types.NamespacedName) error {
	return fmt.Errorf("object %q: %w: not one of the names that the informer follows", objectkey.String(key), failure.ErrUnknown)
}

// describe adds the statuses of branches to the status of their informer.
func (p *scopePlan) describe(s *Status, branches []*branch, statuses []Status) {
	if p.about.Named {
		p.describeNames(s, branches, statuses)
		return
	}
	s.Namespaces = statuses
	left := p.store.leftOut.Each()
	for i, branch := range branches {
		statuses[i].leaveOut(len(left[branch]), left[branch])
		statuses[i].Name = branch.scope.Namespace
		statuses[i].Objects = p.store.indexed(namespaceIndexName, branch.scope.Namespace)
	}
	slices.SortFunc(statuses, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
}

func (p *scopePlan) describeNames(s *Status, branches []*branch, statuses []Status) {
	s.Names = &NamesStatus{Followed: len(branches)}
	for i, branch := range branches {
		about := branch.source.Describe()
		if about.ByMetadata != nil && about.ByMetadata() {
			s.Names.ByMetadata++
		}
		if statuses[i].Synced {
			s.Names.Known++
			if _, exists, err := p.store.Find(branch.scope); !exists && err == nil {
				s.Names.Absent++
			}
		}
		if err := statuses[i].LastError; err != nil && statuses[i].Attempts > 0 {
			s.Names.fail(objectkey.String(branch.scope), err)
		}
	}
}
