package cache

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var errAllNamespaces = errors.New(`namespace "" in a set of namespaces: it stands for all of them, which need a source of their own`)

// namespacePlan is a part for each namespace of a set.
type namespacePlan struct {
	// namespaces and in are those of SourceInfo.
	namespaces func() (names []string, changed <-chan struct{})
	in         func(namespace string) Source[any]
	// objects is how many the store has of a namespace, if it knows.
	objects func(namespace string) int
}

func newNamespacePlan(i *informer, in func(namespace string) Source[any]) *namespacePlan {
	return &namespacePlan{
		namespaces: i.about.Namespaces,
		in:         in,
		objects:    func(namespace string) int { return i.store.core.indexed(namespaceIndexName, namespace) },
	}
}

func (p *namespacePlan) next(before []*part) ([]*part, <-chan struct{}, error) {
	names, changed := p.namespaces()
	var next []*part
	for _, name := range names {
		is := func(p *part) bool { return p.namespace == name }
		if name == "" {
			return nil, nil, errAllNamespaces
		}
		if slices.ContainsFunc(next, is) {
			continue
		}
		at := slices.IndexFunc(before, is)
		if at < 0 {
			added := newPart(p.in(name))
			added.namespace = name
			next = append(next, added)
			continue
		}
		next = append(next, before[at])
	}
	return next, changed, nil
}

func (p *namespacePlan) assign(parts []*part) *assignment {
	a := &assignment{byNamespace: map[string]*part{}, cause: &namespaceLeft}
	for _, part := range parts {
		a.byNamespace[part.namespace] = part
	}
	return a
}

func (p *namespacePlan) spare([]*part) ([]*part, bool) { return nil, false }

func (p *namespacePlan) foreign(obj metav1.Object) error {
	return fmt.Errorf("namespace %q is not one that the informer follows", obj.GetNamespace())
}

func (p *namespacePlan) describe(s *Status, parts []*part, statuses []Status) {
	s.Namespaces = statuses
	for i, part := range parts {
		statuses[i].Name = part.namespace
		statuses[i].Objects = p.objects(part.namespace)
	}
	slices.SortFunc(statuses, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
}
