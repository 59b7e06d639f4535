//go:build !before35

package main

import (
	"errors"

	"github.com/spf13/pflag"
)

// invalidValue returns the flag that an error of pflag is about, and its value, or nil.
func invalidValue(_ *pflag.FlagSet, err error) (*pflag.Flag, string) {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		return invalid.GetFlag(), invalid.GetValue()
	}
	return nil, ""
}

// unknownFlag returns the name that an error of pflag does not know, or "".
func unknownFlag(err error) string {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		return unknown.GetSpecifiedName()
	}
	return ""
}
