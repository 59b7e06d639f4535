package controller

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// ReferrersOf returns a source for objects that other objects refer to. An event of an informer's object is
// mapped to the keys of its referrers: the objects of referrers for which names returns the object's name.
// ReferrersOf adds an index to referrers. With references.Follow and the same function, the informer has
// exactly the objects that are referred to.
//
// An object that does not exist has no event: reconcile gets a NotFound error from the informer's lister.
// cache.Informer.WaitForNames waits until the informer knows that the object does not exist.
func ReferrersOf[T, R any](informer *cache.Informer[T], referrers *cache.Informer[R], names func(obj R) []types.NamespacedName, matters ...func(old, obj T) bool) Source {
	if informer == nil || referrers == nil || names == nil {
		s := newSource[T](informer, mappedKeys, nil, matters)
		s.err = errors.Join(s.err, errors.New("informer of what refers to the objects, or the function of their names, is nil"))
		return s
	}
	index, err := addIndex(referrers, "references to "+informer.Name(), names)
	s := newSource(informer, mappedKeys, func(obj T) []types.NamespacedName {
		key, err := informer.Store().Key(obj)
		if err != nil {
			return nil // the store does not have the object
		}
		keys, _ := referrers.Store().IndexKeys(index, key.String()) // the index was added
		return keys
	}, matters)
	s.err = errors.Join(s.err, err)
	return s
}

// addIndex adds an index of names to an informer, and returns the index's name, which may have a number
// added.
func addIndex[R any](informer *cache.Informer[R], name string, names func(R) []types.NamespacedName) (string, error) {
	values := func(obj R) (values []string, _ error) {
		for _, name := range names(obj) {
			values = append(values, name.String())
		}
		return values, nil
	}
	for i := 1; ; i++ {
		unique := name
		if i > 1 {
			unique = fmt.Sprint(name, " ", i)
		}
		err := informer.AddIndexes(cache.Index[R]{Name: unique, Values: values})
		if !errors.Is(err, failure.ErrIndexExists) {
			return unique, err
		}
	}
}
