// Package ours stands in for theirs.
package ours

import "github.com/informer-gen/informer-gen/runtime/internal/apinames/testdata/theirs"

type Alias = theirs.Alias

type Struct struct{ A int }

type Method struct{}

func (Method) Do(interface{}) (Struct, error) { return Struct{}, nil }

type (
	LessMethods   struct{}
	LessFields    struct{ A int }
	OtherFunc     func(Struct)
	LessInterface interface{ Do() }
)

func Same(b Struct, rest ...theirs.Alias) Method { return Method{} }
func Variadic(a []int)                           {}
func Generic[T comparable](t T) map[T]Struct     { return nil }
func Constraint[T any](t T)                      {}
func Added()                                     {}

var (
	Value     Alias
	Forwarded = theirs.Forwarded
)
