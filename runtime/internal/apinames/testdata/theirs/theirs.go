// Package theirs is the one that is stood in for.
package theirs

type Alias struct{ A int }

type Struct struct {
	A      int
	hidden string
}

type Method struct{}

func (Method) Do(any) (Struct, error) { return Struct{hidden: ""}, nil }

type (
	LessMethods   struct{}
	LessFields    struct{ A, B int }
	OtherFunc     func(Struct) error
	LessInterface interface {
		Do()
		Undo()
	}
)

func (LessMethods) Do() {}

func Same(a Struct, more ...Alias) Method    { return Method{} }
func Variadic(a ...int)                      {}
func Generic[T comparable](t T) map[T]Struct { return nil }
func Constraint[T comparable](t T)           {}
func Missing()                               {}
func Forwarded(a Alias)                      {}

var Value Struct
