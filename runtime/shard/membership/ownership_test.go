package membership

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

func TestOwnershipText(t *testing.T) {
	halves := shard.All().Split(2)
	for want, owned := range map[string]ownership{
		`{"epoch":0,"owners":{}}`: {},
		`{"epoch":7,"owners":{"a":"0000000000000000-7fffffffffffffff","b":"8000000000000000-ffffffffffffffff"}}`:    {epoch: 7, owners: map[string]shard.Ranges{"a": halves[0], "b": halves[1]}},
		`{"epoch":1,"parts":["0000000000000000-7fffffffffffffff","8000000000000000-ffffffffffffffff"],"owners":{}}`: {epoch: 1, parts: halves},
	} {
		if got := owned.encode(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if read, err := decodeOwnership(want); err != nil || read.encode() != want {
			t.Errorf("%s: read as %+v, %v", want, read, err)
		}
	}
}

// What somebody has written by hand is refused with a message that says what is wrong.
func TestOwnershipRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "unexpected end of JSON input",
		`{"owners":{"a":"0"}}`:                 `owner "a": range "0": must be two hashes`,
		`{"owners":{"a":"5-1"}}`:               "begins after its end",
		`{"owners":{"a":"0-9","b":"5-c"}}`:     `owner "b": another one owns 0000000000000005-0000000000000009 too`,
		`{"parts":["0-9"],"owners":{}}`:        "no part has 000000000000000a-ffffffffffffffff",
		`{"parts":["none"],"owners":{}}`:       "part 0 of 1 is empty",
		`{"parts":["0-9","9-f"],"owners":{}}`:  "part 1 of 2: an earlier one has 0000000000000009-0000000000000009 too",
		`{"parts":["0-9","zz-f"],"owners":{}}`: `range "zz-f"`,
	} {
		if _, err := decodeOwnership(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func FuzzOwnership(f *testing.F) {
	f.Add(`{"epoch":7,"parts":["0-7fffffffffffffff","8000000000000000-ffffffffffffffff"],"owners":{"a":"0-9,20-30","b":"none"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		read, err := decodeOwnership(text)
		if err != nil {
			return
		}
		again, err := decodeOwnership(read.encode())
		if err != nil || again.encode() != read.encode() {
			t.Errorf("%s is written as %s, which is %s, %v", text, read.encode(), again.encode(), err)
		}
	})
}

func TestEqualParts(t *testing.T) {
	if err := checkParts(equalParts); err != nil {
		t.Error(err)
	}
	for i, part := range equalParts {
		if want, _ := shard.Of(i, defaultParts); !part.Equal(want) {
			t.Errorf("part %d: got %v, want %v", i, part, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for want, options := range map[string]Options{
		`group ""`:                        {},
		`group "Orders"`:                  {Group: "Orders"},
		`up to 52 lower case`:             {Group: strings.Repeat("a", 53)},
		"lease duration 1.5s":             {Group: "a", LeaseDuration: 1500e6},
		"lease duration -1s":              {Group: "a", LeaseDuration: -1e9},
		"renew interval 4s":               {Group: "a", RenewInterval: 4e9},
		"at most a quarter of the lease ": {Group: "a", RenewInterval: math.MaxInt64},
		"renew interval 1ns":              {Group: "a", RenewInterval: 1},
		"drain timeout -1s":               {Group: "a", DrainTimeout: -1e9},
	} {
		if _, err := New(nil, options); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", options, err, want)
		}
	}
	m, err := New(nil, Options{Group: strings.Repeat("a", 52)})
	if err != nil {
		t.Fatal(err)
	}
	if o := m.options; o.Identity == "" || o.LeaseDuration != 15e9 || o.RenewInterval != 1875e6 || o.DrainTimeout != 15e9 || o.MinMembers != 1 {
		t.Errorf("defaults: %+v", o)
	}
}
