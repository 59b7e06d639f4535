package controller

import (
	"errors"
	"fmt"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// core is an informer of runtime/cache.
type core interface{ Untyped() *cache.Informer[any] }

// validate returns everything that is wrong with the arguments of New.
func (c *Controller) validate(options Options) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.name == "" {
		wrong("name is empty; logs and metrics need one")
	}
	if c.reconcile == nil {
		wrong("function that reconciles is nil")
	}
	if options.Workers < 0 {
		wrong("Options.Workers is %d; use zero for one worker", options.Workers)
	}
	for i, w := range options.WaitFor {
		if nothing.Is(w) {
			wrong("Options.WaitFor[%d] is nil", i)
		} else if _, ok := w.(core); !ok && options.Fence {
			wrong("Options.WaitFor[%d] is a %T, whose latest state Options.Fence cannot wait for; use informers, such as factory.Core returns", i, w)
		}
	}
	return errors.Join(append(errs, validateSources(c.sources))...)
}

// validateSources returns everything that is wrong with the sources of a controller.
func validateSources(sources []Source) error {
	if len(sources) == 0 {
		return errors.New("no sources; add one such as KeysOf(informer)")
	}
	type identity struct {
		informer *cache.Informer[any]
		keys     string
	}
	var errs []error
	seen := map[identity]int{}
	for i, s := range sources {
		id := identity{s.informer, s.keys}
		switch first, twice := seen[id]; {
		case s.add == nil:
			errs = append(errs, fmt.Errorf("source %d is empty; make one by KeysOf, OwnersOf or MappedKeysOf", i+1))
		case s.err != nil:
			errs = append(errs, fmt.Errorf("source %d: %w", i+1, s.err))
		case twice && s.keys != mappedKeys:
			errs = append(errs, fmt.Errorf("sources %d and %d are both %v", first, i+1, s))
		default:
			seen[id] = i + 1
		}
	}
	return errors.Join(errs...)
}
