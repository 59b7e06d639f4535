package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

var errAllNamespaces = errors.New(`namespace "" in a set of namespaces: it stands for all of them, which need a source of their own`)

// namespacePlan is a branch for each namespace of a set.
type namespacePlan struct {
	about *SourceInfo
	// objects counts the store's objects with a value in an index; zero if there is no such index.
	objects func(index, value string) int
}

func (p *namespacePlan) next(_ context.Context, before []*branch) ([]*branch, <-chan struct{}, error) {
	names, changed := p.about.Namespaces()
	known := make(map[string]*branch, len(before))
	for _, branch := range before {
		known[branch.namespace] = branch
	}
	var next []*branch
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		if name == "" {
			return nil, nil, errAllNamespaces
		}
		if taken[name] {
			continue
		}
		taken[name] = true
		branch := known[name]
		if branch == nil {
			branch = newBranch(p.about.In(name))
			branch.namespace = name
		}
		next = append(next, branch)
	}
	return next, changed, nil
}

func (p *namespacePlan) assign(branches []*branch) *assignment {
	a := &assignment{byNamespace: map[string]*branch{}, cause: &cause.Cause{Kind: cause.NamespaceLeft}}
	for _, branch := range branches {
		a.byNamespace[branch.namespace] = branch
	}
	return a
}

func (p *namespacePlan) foreign(obj metav1.Object) error {
	return fmt.Errorf("namespace %q is not one that the informer follows", obj.GetNamespace())
}

func (p *namespacePlan) describe(s *Status, branches []*branch, statuses []Status) {
	s.Namespaces = statuses
	for i, branch := range branches {
		statuses[i].Name = branch.namespace
		statuses[i].Objects = p.objects(namespaceIndexName, branch.namespace)
	}
	slices.SortFunc(statuses, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
}
