package main

import (
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestParts(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]string{
		`+genclient:onlyVerbs: unknown verb: "lst"; expected one of list, watch; did you mean list?`: {`"lst"`, "expected one of list, watch; did you mean list?"},
		"pattern: no such directory; did you mean ./api?":                                            {"", "did you mean ./api?"},
		`+x: unexpected text: "a; b: \"; c\""; leave it out`:                                         {`"a; b: \"; c\""`, "leave it out"},
		"field: no json tag; write `json:\"a; b: c\"`":                                               {"", "write `json:\"a; b: c\"`"},
		"syntax error: expected ';', found y":                                                        {"", ""},
		"kind: Config: no list: none":                                                                {"no list: none", ""},
		`unclosed: "quote: a; b`:                                                                     {"", ""},
		"":                                                                                           {"", ""},
	} {
		if found, advice := parts(message); found != want[0] || advice != want[1] {
			t.Errorf("%s: got %q and %q, want %q", message, found, advice, want)
		}
	}
}

// What is taken for advice in the messages that the tests of generators have begins as advice
// does, and what was found is one clause.
func TestPartsOfAllMessages(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../generators/testdata/bad_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	begins := regexp.MustCompile(`^(append|add|begin|choose|close|declare|decide|did you mean|embed|expected|export|give|groups have|index|keep|kinds have|leave|make|mark|move|name|remove|rename|resources have|run|set|tag|the informer takes|to add it|use|versions have|write|a tag stands)[: ]`)
	messages, withAdvice := 0, 0
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(archive.Files[len(archive.Files)-1].Data)) {
			_, message, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || !strings.HasPrefix(line, "error: ") && !strings.HasPrefix(line, "warning: ") {
				continue
			}
			if place := regexp.MustCompile(`^ \S+:\d+:\d+: `).FindString(message); place != "" {
				message = message[len(place):]
			}
			messages++
			switch found, advice := parts(message); {
			case advice != "" && !begins.MatchString(advice):
				t.Errorf("%s: advice %q", message, advice)
			case strings.Contains(found, "; ") && !strings.ContainsAny(found, "\"`"):
				t.Errorf("%s: found %q", message, found)
			case advice != "":
				withAdvice++
			}
		}
	}
	if messages < 100 || withAdvice < messages*3/4 {
		t.Errorf("%d messages, %d with advice; want more than 100, most of them with advice", messages, withAdvice)
	}
}

// The problem matcher must find what is printed, in the forms that text has.
func TestProblemMatcher(t *testing.T) {
	t.Parallel()
	matcher := readMatcher(t)
	at := token.Position{Filename: "api/v1/types.go", Line: 6, Column: 4}
	for _, c := range []struct {
		d    diagnostic
		want map[string]string
	}{
		{newDiagnostic(isError, at, "+x: unknown tag: no; leave it out"), map[string]string{"file": "api/v1/types.go", "line": "6", "column": "4", "severity": "", "message": "+x: unknown tag: no; leave it out"}},
		{newDiagnostic(isWarning, at, "kind: skipped"), map[string]string{"file": "api/v1/types.go", "line": "6", "column": "4", "severity": "warning", "message": "kind: skipped"}},
		{newDiagnostic(isError, token.Position{}, "wrong"), nil},
		{newDiagnostic(isInfo, token.Position{}, "9 files up to date (14ms): 1 type"), nil},
	} {
		got := matcher.find(c.d.text())
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", c.d.text(), got, c.want)
		}
		for field, want := range c.want {
			if got[field] != want {
				t.Errorf("%s: %s is %q, want %q", c.d.text(), field, got[field], want)
			}
		}
	}
}
