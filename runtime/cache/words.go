package cache

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// isWords reports whether a T consists of pointers alone, as pointers and
// interfaces do. The functions below are for no other types.
func isWords[T any]() bool {
	kind := reflect.TypeFor[T]().Kind()
	return kind == reflect.Pointer || kind == reflect.Interface
}

// loadWords returns *p, which storeWords may be writing meanwhile: half of what it
// then returns may be of another value, and it must not be looked at.
func loadWords[T any](p *T) (v T) {
	*first(&v) = atomic.LoadPointer(first(p))
	if unsafe.Sizeof(v) > wordSize {
		*second(&v) = atomic.LoadPointer(second(p))
	}
	return v
}

func storeWords[T any](p *T, v T) {
	atomic.StorePointer(first(p), *first(&v))
	if unsafe.Sizeof(v) > wordSize {
		atomic.StorePointer(second(p), *second(&v))
	}
}

const wordSize = unsafe.Sizeof(uintptr(0))

func first[T any](p *T) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(p)) }

func second[T any](p *T) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(p), wordSize))
}
