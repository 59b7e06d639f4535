package generators

import (
	"go/token"
	"regexp"

	"github.com/informer-gen/informer-gen/internal/suggest"
)

// indexMarker has the values of a marker of an index.
type indexMarker struct {
	method, function string
	pos              token.Pos
}

// indexMethod matches what a lister's method for an index can be called: nothing else in a
// lister is.
var indexMethod = regexp.MustCompile(`^By[A-Z][A-Za-z0-9_]*$`)

// index reads a marker of an index, or reports what is wrong with it.
func (p tagParser) index(m marker) (indexMarker, bool) {
	found, problems := indexMarker{pos: m.pos}, len(p.diags.errors)
	arguments, err := parseArguments(m.value)
	switch {
	case m.extra != "":
		p.diags.errorf(p.at(m.pos), "+%s: unexpected text: %q; write +%s, or +%s=ByNode, for example", m.name, m.extra, m.name, m.name)
	case err != nil:
		p.diags.errorf(p.at(m.pos), "+%s: %v", m.name, err)
	}
	for i, argument := range arguments {
		switch {
		case argument.name == "func" && argument.value != "":
			found.function = argument.value
		case i > 0 || argument.value != "":
			p.diags.errorf(p.at(m.pos), "+%s: unknown argument: %q; expected the name of a method, and for a type func=%s", m.name, argument.name,
				suggest.DidYouMean(argument.name, "", []string{"func"}))
		case !indexMethod.MatchString(argument.name):
			p.diags.errorf(p.at(m.pos), "+%s: %q is not what a method can be called; write By and a name, such as ByNode", m.name, argument.name)
		default:
			found.method = argument.name
		}
	}
	return found, len(p.diags.errors) == problems
}
