package factory

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// TypeOptions configure the informer of Ts in a factory. They take precedence over the options of the
// factory. The zero value changes nothing.
type TypeOptions[T runtime.Object] struct {
	// Name is the name under which Factory.Named requests the informer, so that a factory can have several
	// informers of one type. Empty means the informer that a factory without a name has.
	Name string
	// Namespaces is the set of namespaces that the informer follows. The set may change. Nil means the
	// namespace of the factory. The resource must have namespaces.
	Namespaces *source.Namespaces
	// References is the set of names that the informer follows, in place of a namespace. The set may
	// change. Package references says how it works and what it costs. Over a clientset each name has a
	// watch of its own. One informer may follow a set.
	References *references.Set
	// LabelSelector and FieldSelector select objects among the objects that WithTweakListOptions selects.
	// Nil selects all. labels.Nothing selects none: the informer is then in sync with an empty store.
	LabelSelector labels.Selector
	FieldSelector fields.Selector
	// WrapSource wraps the informer's source, for example to limit it to a shard.Shard. Nil means the
	// function of the factory; to wrap nothing, set a function that returns its argument. A shard can't be
	// combined with References.
	WrapSource func(core.Objects) core.Objects
	// Resync is the resync period of handlers without one of their own. Zero means the factory's period,
	// and a negative value no resyncs.
	Resync time.Duration
	// Transform is applied to every object before it is stored. It may mutate the object. Nil means the
	// factory's transform.
	Transform func(T) (T, error)
	// ListWatch configures how the informer lists and watches. Nil means as the factory says.
	ListWatch *core.ListWatch
}

// ForType configures one informer of the factory: the informer of Ts or, if the options have a Name, of Ts
// under that name. It may be passed to generated factories.
//
// Options can be without effect: the factory has no informer of the type, the informer was not made by
// generated code, or the options were given twice. Start logs that, and WaitForSync and WaitForSyncOrStuck
// return an error for it.
func ForType[T runtime.Object](options TypeOptions[T]) Option {
	return func(o *Options) {
		of := informerKey{of: reflect.TypeFor[T](), name: options.Name}
		if o.each == nil {
			o.each = map[informerKey]*informerOptions{}
		}
		if earlier := o.each[of]; earlier != nil {
			earlier.repeated = true
			return
		}
		o.each[of] = &informerOptions{
			namespaces: options.Namespaces,
			references: options.References,
			wrapSource: options.WrapSource,
			tweak:      selecting(options.LabelSelector, options.FieldSelector),
			resync:     options.Resync,
			transform:  untypedTransform(options.Transform),
			listWatch:  options.ListWatch,
		}
	}
}

// informerOptions are the options of one informer.
type informerOptions struct {
	namespaces *source.Namespaces
	references *references.Set
	wrapSource func(core.Objects) core.Objects
	tweak      func(*metav1.ListOptions)
	resync     time.Duration
	transform  cache.TransformFunc
	listWatch  *core.ListWatch

	// applied is set once an informer was made with the options, clusterScoped if its resource has no
	// namespaces, and repeated if ForType gave options for the same informer again.
	applied, clusterScoped, repeated bool
}

// selecting returns a function that adds the two selectors to the options of a request. It returns nil if
// both are nil.
func selecting(byLabel labels.Selector, byField fields.Selector) func(*metav1.ListOptions) {
	if byLabel == nil && byField == nil {
		return nil
	}
	if byLabel != nil && matchesNoLabels(byLabel) || byField != nil && matchesNoFields(byField) {
		return func(options *metav1.ListOptions) { options.LabelSelector = noObjects }
	}
	return func(options *metav1.ListOptions) {
		if byLabel != nil {
			options.LabelSelector = and(options.LabelSelector, byLabel.String())
		}
		if byField != nil {
			options.FieldSelector = and(options.FieldSelector, byField.String())
		}
	}
}

// noObjects is a selector that every server understands and no object matches. The selectors labels.Nothing
// and fields.Nothing are "" as strings, and "" selects everything.
const noObjects = "nothing,!nothing"

// matchesNoLabels reports whether a selector is labels.Nothing, which
// metav1.LabelSelectorAsSelector makes of nil.
func matchesNoLabels(s labels.Selector) bool {
	_, selectable := s.Requirements()
	return !selectable
}

// matchesNoFields reports whether no fields match a selector. Such a selector is fields.Nothing, alone or
// combined with others. It builds the fields that meet all requirements, and checks that they don't match.
func matchesNoFields(s fields.Selector) bool {
	matching, other := fields.Set{}, "not "+s.String()
	for _, r := range s.Requirements() {
		if r.Operator != selection.NotEquals {
			matching[r.Field] = r.Value
		} else if !matching.Has(r.Field) {
			matching[r.Field] = other
		}
	}
	return !s.Matches(matching)
}

// and returns a selector of the objects that both a and b select.
func and(a, b string) string {
	if a == "" || b == "" {
		return cmp.Or(a, b)
	}
	return a + "," + b
}

// both returns a function that calls first and then second. Each of them may be nil.
func both(first, second func(*metav1.ListOptions)) func(*metav1.ListOptions) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(options *metav1.ListOptions) {
		first(options)
		second(options)
	}
}

func untypedTransform[T runtime.Object](transform func(T) (T, error)) cache.TransformFunc {
	if transform == nil {
		return nil
	}
	return func(obj any) (any, error) {
		t, ok := obj.(T)
		if !ok {
			return obj, nil // a tombstone without an object
		}
		return transform(t)
	}
}

// ErrOptionsUnused is the error for options of one informer that have no effect.
var ErrOptionsUnused = errors.New("options of an informer have no effect")

// misuse returns an error for all options of single informers that came to nothing, and for each named
// informer that lacks options.
func (r *registry) misuse() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for key, options := range r.options.each {
		switch _, requested := r.members[key]; {
		case options.repeated:
			errs = append(errs, fmt.Errorf("%v: %w: given twice; put them into one ForType, or give the second a Name", key, ErrOptionsUnused))
		case !requested && !options.applied: // they are applied if the informer was released
			errs = append(errs, fmt.Errorf("%v: %w: the factory has no such informer; request it before the start, or remove the options", key, ErrOptionsUnused))
		case !options.applied:
			errs = append(errs, fmt.Errorf("%v: %w: the informer was not made by the generated accessors of the factory", key, ErrOptionsUnused))
		case options.references != nil && options.namespaces != nil:
			errs = append(errs, fmt.Errorf("%v: %w: Namespaces beside References, whose names have theirs", key, ErrOptionsUnused))
		case options.clusterScoped && options.namespaces != nil:
			errs = append(errs, fmt.Errorf("%v: %w: Namespaces of a resource that has none", key, ErrOptionsUnused))
		}
	}
	for key := range r.members {
		if r.unknown(key) {
			errs = append(errs, fmt.Errorf("%v: informer under a name without options: give them by ForType, or request it without the name", key))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
