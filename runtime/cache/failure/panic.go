package failure

import "fmt"

// PanicError is a panic of a user's function: an index function, a transform or a handler. It concerns the
// object that the function was called with.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack is the stack of the panic, as debug.Stack prints it.
	Stack []byte
}

// Error returns the value and the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// PanicPolicy says what an informer does after a handler's panic. In any case the panic is logged with the
// handler's name and counted in its status, and other handlers are not affected.
type PanicPolicy uint8

const (
	// PanicSkip skips the event. The next event follows after a second.
	PanicSkip PanicPolicy = iota
	// PanicRetry calls the handler with the same event again, with a backoff from one second to a minute.
	// Later events wait.
	PanicRetry
	// PanicCrash calls k8s.io/apimachinery/pkg/util/runtime.HandleCrash, which ends the process. If its
	// ReallyCrash is off, PanicCrash has the effect of PanicSkip.
	PanicCrash
)
