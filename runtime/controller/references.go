package controller

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// ReferrersOf returns the source of the keys of what refers to the objects of an informer: those
// of the objects of referrers for which names returns that name. It adds an index to referrers.
// With references.Follow and the same function, an informer has what is referred to and nothing
// else.
//
// An object that does not exist has no event: reconcile gets a NotFound error of its lister.
// cache.Informer.WaitForNames waits until the informer knows that.
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
			return nil // not one of the store
		}
		keys, _ := referrers.Store().IndexKeys(index, key.String()) // the index was added
		return keys
	}, matters)
	s.err = errors.Join(s.err, err)
	return s
}

// addIndex adds an index of names, under a name of its own.
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
