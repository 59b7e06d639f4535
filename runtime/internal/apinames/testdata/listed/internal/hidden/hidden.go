// Package hidden has what only package listed gives to others.
package hidden

type Row[T any] struct{ Key T }

func (Row[T]) Get() T { var zero T; return zero }
