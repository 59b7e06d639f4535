package cache

import (
	"runtime/debug"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// catch turns a panic of the function that defers it into an error.
func catch(err *error) {
	if value := recover(); value != nil {
		*err = &failure.PanicError{Value: value, Stack: debug.Stack()}
	}
}
