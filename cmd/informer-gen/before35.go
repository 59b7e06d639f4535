//go:build before35

package main

import (
	"regexp"
	"strconv"

	"github.com/spf13/pflag"
)

// The errors of pflag are texts before 1.0.7, which client-go requires since 0.35.
var (
	invalidText = regexp.MustCompile(`^invalid argument (".*") for "(?:-., )?--([^"]+)" flag: `)
	unknownText = regexp.MustCompile(`^unknown flag: --(.+)$`)
)

// invalidValue returns the flag that an error of pflag is about, and its value, or nil.
func invalidValue(set *pflag.FlagSet, err error) (*pflag.Flag, string) {
	found := invalidText.FindStringSubmatch(err.Error())
	if found == nil {
		return nil, ""
	}
	value, err := strconv.Unquote(found[1])
	if err != nil {
		return nil, ""
	}
	return set.Lookup(found[2]), value
}

// unknownFlag returns the name that an error of pflag does not know, or "".
func unknownFlag(err error) string {
	if found := unknownText.FindStringSubmatch(err.Error()); found != nil {
		return found[1]
	}
	return ""
}
