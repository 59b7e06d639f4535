package failure

import "fmt"

// PanicError is a panic of a function that the user gave: an index function, a
// transform or a handler. It concerns the object that the function was called with.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack is the stack of the panic, as debug.Stack prints it.
	Stack []byte
}

// Error returns the value and the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// PanicPolicy says what an informer does about a handler's panic. In any case the panic is
// logged with the handler's name and counted in its status, and other handlers go on.
type PanicPolicy uint8

const (
	// PanicSkip skips the event, and goes on with the next one after a second.
	PanicSkip PanicPolicy = iota
	// PanicRetry calls the handler with the same event again, with a backoff from one
	// second to a minute. The events after it have to wait.
	PanicRetry
	// PanicCrash calls k8s.io/apimachinery/pkg/util/runtime.HandleCrash, which ends
	// the process, unless its ReallyCrash is off: then it is PanicSkip.
	PanicCrash
)
