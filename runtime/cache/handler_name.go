package cache

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
)

// handlerName names a handler after the place where it was added, and its type unless
// every handler of functions has it.
func handlerName[T any](handler Handler[T]) string {
	place := callerOfInformer()
	switch handler.(type) {
	case HandlerFuncs[T], *HandlerFuncs[T], batchFunc[T]:
		return place
	}
	return fmt.Sprintf("%T at %s", handler, place)
}

// callerOfInformer returns where a method of Informer was called, as the file with its
// folder and the line.
func callerOfInformer() string {
	methods := reflect.TypeFor[HandlerOptions]().PkgPath() + ".(*Informer["
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for inside := false; ; {
		frame, more := frames.Next()
		is := strings.HasPrefix(frame.Function, methods)
		if inside && !is || !more {
			return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File)), frame.Line)
		}
		inside = inside || is
	}
}
