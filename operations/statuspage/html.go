package statuspage

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"
)

// markup is HTML.
type markup string

// format replaces each %s of a layout, which must be a constant. Arguments of type markup are inserted as
// they are. All others are text, and are escaped. In the layout, values of attributes must be in double
// quotes.
func format(layout markup, args ...any) markup {
	texts := make([]any, len(args))
	for i, arg := range args {
		if _, ok := arg.(markup); !ok {
			arg = escape(fmt.Sprint(arg))
		}
		texts[i] = arg
	}
	return markup(fmt.Sprintf(string(layout), texts...))
}

// escape returns text as HTML. It replaces characters that can't be displayed or that change the direction
// of the surrounding text.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text))
}

// span returns text in a span with a class.
func span(class, text string) markup { return format(`<span class="%s">%s</span>`, class, text) }

// breakable returns text that may be broken after every 40 characters. So a long name without spaces does
// not make its column wider than the page, and other text is not broken within a word.
func breakable(text string) markup {
	const longest = 40
	var parts []string
	for part := range slices.Chunk([]rune(text), longest) {
		parts = append(parts, escape(string(part)))
	}
	return format("<span>%s</span>", markup(strings.Join(parts, "<wbr>")))
}

// section is a part of the page with a heading.
func section(id, heading, about string, content markup) markup {
	return format(`<section aria-labelledby="%s"><h2 id="%s">%s <small>%s</small></h2>%s</section>`, id, id, heading, about, content)
}
