package statuspage

import (
	"strings"
	"time"
)

// column is a column of a table: its heading, and the class of its cells.
type column struct{ heading, class string }

// table is a table whose rows become blocks on a narrow screen. Each cell then shows the heading of its
// column. The roles keep it a table for screen readers.
type table struct {
	columns []column
	rows    strings.Builder
}

// row adds a row.
func (t *table) row(cells ...any) {
	t.rows.WriteString(`<tr role="row">`)
	for i, c := range t.columns {
		content, ok := cells[i].(markup)
		if !ok {
			content = breakable(shown(cells[i]))
		}
		cell := format(`<td role="cell" class="%s" data-label="%s">%s</td>`, c.class, c.heading, content)
		t.rows.WriteString(string(cell))
	}
	t.rows.WriteString("</tr>\n")
}

// shown returns the text of a value.
func shown(value any) string {
	switch v := value.(type) {
	case int:
		return number(v)
	case int64:
		return number(v)
	case uint64:
		return number(v)
	case time.Duration:
		return brief(v)
	}
	text, _ := value.(string)
	return text
}

// html returns the table. The heading with the given id names it.
func (t *table) html(heading string) markup {
	var headings markup
	for _, c := range t.columns {
		headings += format(`<th scope="col" role="columnheader" class="%s">%s</th>`, c.class, c.heading)
	}
	return format(`<table role="table" aria-labelledby="%s"><thead role="rowgroup"><tr role="row">%s</tr></thead><tbody role="rowgroup">%s</tbody></table>`, heading, headings, markup(t.rows.String()))
}
