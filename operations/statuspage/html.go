package statuspage

import (
	"html"
	"slices"
	"strings"
	"unicode"
)

// attr is an attribute of an element.
type attr struct{ name, value string }

// markup is text that is not escaped. It must be a constant.
type markup string

// element is an element with its attributes and content: attr, element, []element, string
// or markup, in any order. Strings and values of attributes are escaped.
type element struct {
	tag     string
	content []any
}

func el(tag string, content ...any) element { return element{tag, content} }

// class is the attribute of that name, or none.
func class(names string) attr {
	if names == "" {
		return attr{}
	}
	return attr{"class", names}
}

// breakable returns text that may be broken after each 40 characters, so that a column is not
// wider than the page for a name without spaces, and others are not broken within a word.
func breakable(text string) element {
	const longest = 40
	span := el("span")
	for part := range slices.Chunk([]rune(text), longest) {
		if len(span.content) > 0 {
			span.content = append(span.content, el("wbr"))
		}
		span.content = append(span.content, string(part))
	}
	return span
}

// void are the elements without content, which have no end tag.
var void = map[string]bool{"meta": true, "link": true, "input": true, "wbr": true}

// write appends the element as HTML.
func (e element) write(b *strings.Builder) {
	b.WriteString("<" + e.tag)
	for _, c := range e.content {
		if a, ok := c.(attr); ok && a.name != "" {
			b.WriteString(" " + a.name + `="` + escape(a.value) + `"`)
		}
	}
	b.WriteString(">")
	for _, c := range e.content {
		switch c := c.(type) {
		case string:
			b.WriteString(escape(c))
		case markup:
			b.WriteString(string(c))
		case element:
			c.write(b)
		case []element:
			for _, child := range c {
				child.write(b)
			}
		}
	}
	if !void[e.tag] {
		b.WriteString("</" + e.tag + ">")
	}
	if block[e.tag] {
		b.WriteString("\n")
	}
}

// escape returns text as HTML, with a sign in place of what has no picture or turns the
// direction of the text around it.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text))
}

// block are the elements after which a line ends, so that the source can be read.
var block = map[string]bool{
	"meta": true, "link": true, "title": true, "style": true, "head": true, "h1": true, "h2": true, "p": true, "tr": true,
	"table": true, "section": true, "details": true, "li": true, "ul": true, "form": true, "header": true, "main": true, "dl": true,
}
