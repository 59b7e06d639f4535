// Package listed has one of each thing that a listing knows.
package listed

import (
	"context"
	"io"

	"github.com/informer-gen/informer-gen/runtime/internal/apinames/testdata/listed/internal/hidden"
)

type Kind int

const First Kind = iota + 1

const hiddenKind Kind = 7

var Failed error

type common struct{ Name string }

func (c *common) Rename(name string) { c.Name = name }

type Options struct {
	common
	io.Reader
	Limit  int
	secret int
}

func (o Options) Valid() bool { return o.secret < int(hiddenKind) }
func (o *Options) Default()   {}
func (o *Options) reset()     {}

type named interface{ Name() string }

type Handler[T any] interface {
	named
	io.Closer
	Handle(ctx context.Context, objects ...T) error
	sealed()
}

type Text interface{ ~string | ~[]byte }

type Func func(interface{}) (n int)

type (
	Row[T any] = hidden.Row[T]
	Reader     = io.Reader
)

func New[T Text](ctx context.Context, o Options) (Handler[T], error) { return nil, nil }
func unlisted()                                                      {}
