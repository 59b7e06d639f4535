package collect

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// marker is a comment line that begins with "+".
type marker struct {
	// name stands before the first "=", without the "+".
	name string
	// value stands after it, without a trailing comment.
	value string
	// valued is true if a "=" follows the name.
	valued bool
	// extra is text that follows a name without "=".
	extra string
	pos   token.Pos
	inDoc bool // of doc.go
}

// ownTags begin the tags that only this tool reads. The tag slimTag names the full type of a slim type. IndexTag
// asks for an index by the values of a field, or of a function if it is on a type.
const (
	ownTags  = "informer-gen:"
	slimTag  = ownTags + "slim"
	IndexTag = ownTags + "index"
)

// readTags are the tags that count here and are not of the genclient family.
var readTags = []string{"genclient", "groupName", "groupGoName", "versionName", "resourceName", "kubebuilder:object:root", "kubebuilder:resource:path",
	"kubebuilder:resource:scope", "kubebuilder:skip", "kubebuilder:skipversion", "kubebuilder:unservedversion", "kubebuilder:subresource:status", "k8s:informer-gen", "k8s:lister-gen", slimTag, IndexTag}

// ofGroup reports whether a marker is +groupName, or meant as it.
func (m marker) ofGroup() bool {
	return m.name == "groupName" || strings.HasPrefix(m.name, "groupName:")
}

// markers are the markers of one place, in order.
type markers []marker

// get returns the first marker of a name.
func (m markers) get(name string) (marker, bool) {
	i := slices.IndexFunc(m, func(m marker) bool { return m.name == name })
	if i < 0 {
		return marker{}, false
	}
	return m[i], true
}

func (m markers) has(name string) bool {
	_, ok := m.get(name)
	return ok
}

// byName are the values of the markers by their names: empty ones for those without.
func (m markers) byName() map[string][]string {
	values := map[string][]string{}
	for _, marker := range m {
		if strings.HasPrefix(marker.name, " ") {
			continue
		}
		values[marker.name] = append(values[marker.name], marker.value)
	}
	return values
}

// parseMarkers finds the markers in comments, which may be nil.
func parseMarkers(groups ...*ast.CommentGroup) markers {
	var found markers
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			found = append(found, parseComment(comment.Text, comment.Slash)...)
		}
	}
	return found
}

// parseComment finds the markers in one comment, whose first letter is at pos.
// In a comment of several lines, those may begin with "*".
func parseComment(text string, pos token.Pos) markers {
	var found markers
	block := strings.HasPrefix(text, "/*")
	for line := range strings.Lines(text) {
		content := strings.TrimLeft(line, " \t")
		if block {
			content = strings.TrimPrefix(content, "/*")
			content = strings.TrimLeft(content, "* \t")
			content = strings.TrimSuffix(strings.TrimRight(content, "\r\n \t"), "*/")
		} else {
			content = strings.TrimLeft(strings.TrimPrefix(content, "//"), " \t")
		}
		if m, ok := parseMarker(content); ok {
			m.pos = pos + token.Pos(strings.Index(line, content))
			found = append(found, m)
		}
		pos += token.Pos(len(line))
	}
	return found
}

// parseMarker parses one line. Its name ends where gengo ends a tag. A space between "+" and a tag
// that counts is a part of the name, which is reported then.
func parseMarker(line string) (marker, bool) {
	line = strings.TrimRight(line, " \t\r\n")
	if rest, spaced := strings.CutPrefix(line, "+ "); spaced {
		m, ok := parseMarker("+" + strings.TrimLeft(rest, " \t"))
		ok = ok && slices.Contains(readTags, m.name)
		m.name = " " + m.name
		return m, ok
	}
	for name := range codetags.Extract("+", []string{line}) {
		if name == "" {
			break
		}
		rest := strings.TrimLeft(line, " \t")[1+len(name):]
		if value, ok := strings.CutPrefix(rest, "="); ok {
			return marker{name: name, value: withoutComment(value), valued: true}, true
		}
		return marker{name: name, extra: withoutComment(rest)}, true
	}
	return marker{}, false
}

// withoutComment trims a text and cuts a trailing comment, which begins with # or
// // after a space.
func withoutComment(text string) string {
	text = strings.TrimSpace(text)
	for _, start := range []string{" #", " //", "\t#", "\t//"} {
		text, _, _ = strings.Cut(text, start)
	}
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
		return ""
	}
	return strings.TrimSpace(text)
}

// String returns the marker as it is written.
func (m marker) String() string {
	if m.value == "" {
		return "+" + m.name
	}
	return "+" + m.name + "=" + m.value
}

// argument is one of the comma-separated pairs of a kubebuilder marker.
type argument struct{ name, value string }

// parseArguments parses what follows "+kubebuilder:resource:": pairs such as
// path=orders,scope="Cluster",shortName={a,b}. Braces and quotes may hold
// commas; quotes are removed.
func parseArguments(text string) ([]argument, error) {
	var arguments []argument
	for text != "" {
		name, rest, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if comma := strings.IndexByte(name, ','); !ok || comma >= 0 { // a flag without a value
			flag, after, _ := strings.Cut(text, ",")
			arguments = append(arguments, argument{name: strings.TrimSpace(flag)})
			text = after
			continue
		}
		value, after, err := parseValue(strings.TrimLeft(rest, " \t"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		arguments = append(arguments, argument{name: name, value: value})
		text = after
	}
	return arguments, nil
}

// parseValue splits a value from what follows the comma behind it.
func parseValue(text string) (value, rest string, err error) {
	end, depth, quote := 0, 0, byte(0)
	for ; end < len(text); end++ {
		c := text[end]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' && end+1 < len(text) {
				end++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '`' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth <= 0:
			return unquote(text[:end]), text[end+1:], nil
		}
	}
	if quote != 0 {
		return "", "", fmt.Errorf("no closing %c", quote)
	}
	if depth != 0 {
		return "", "", fmt.Errorf("unbalanced braces")
	}
	return unquote(text), "", nil
}

func unquote(value string) string {
	value = strings.TrimSpace(value)
	if len(value) >= 2 && value[0] == value[len(value)-1] && strings.IndexByte("\"'`", value[0]) >= 0 {
		return value[1 : len(value)-1]
	}
	return value
}

// mentionsTag reports whether a comment may have the tag +genclient or one of this tool's.
// Most have not, and their markers need not be parsed.
func mentionsTag(group *ast.CommentGroup) bool {
	return slices.ContainsFunc(group.List, func(comment *ast.Comment) bool {
		return strings.Contains(comment.Text, "+genclient") || strings.Contains(comment.Text, ownTags)
	})
}

// markersAt are the markers of both comments, the second closest first.
func markersAt(c load.TypeComments) markers { return parseMarkers(c.Second, c.Closest) }

var htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// sentence returns the first sentence of the comment, on one line.
func sentence(c load.TypeComments) string {
	for _, group := range []*ast.CommentGroup{c.Closest, c.Second} {
		var text strings.Builder
		for line := range strings.Lines(htmlComment.ReplaceAllString(group.Text(), "")) {
			if !strings.HasPrefix(strings.TrimSpace(line), "+") {
				text.WriteString(line)
			}
		}
		if sentence := new(doc.Package).Synopsis(text.String()); sentence != "" {
			return sentence
		}
	}
	return ""
}
