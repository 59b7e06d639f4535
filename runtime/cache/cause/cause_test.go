package cause

import (
	"errors"
	"testing"
)

func TestString(t *testing.T) {
	for want, c := range map[string]Cause{
		"none":                      {},
		"watch":                     {Kind: Watch},
		"list":                      {Kind: List},
		"list after watch: expired": {Kind: List, Reason: errors.New("watch: expired")},
		"resync":                    {Kind: Resync},
		"join":                      {Kind: Join},
		"namespace left":            {Kind: NamespaceLeft},
		"resource removed":          {Kind: ResourceRemoved},
		"kind 99":                   {Kind: 99},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
