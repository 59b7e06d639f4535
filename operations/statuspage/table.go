package statuspage

// column is a column of a table: its heading, and the class of its cells.
type column struct{ heading, class string }

// table is a table whose rows become blocks on a narrow screen, where each cell has the
// heading of its column. The roles keep it a table for screen readers then.
type table struct {
	columns []column
	rows    []element
}

// headings are the classes of headings, by those of their cells.
var headings = map[string]string{"n": "n"}

func role(name string) attr { return attr{"role", name} }

// row adds a row. Each cell is a string or an element.
func (t *table) row(cells ...any) {
	row := el("tr", role("row"))
	for i, c := range t.columns {
		content := cells[i]
		if text, ok := content.(string); ok {
			content = breakable(text)
		}
		row.content = append(row.content, el("td", role("cell"), class(c.class), attr{"data-label", c.heading}, content))
	}
	t.rows = append(t.rows, row)
}

// element returns the table, which the heading with that id names.
func (t *table) element(heading string) element {
	head := el("tr", role("row"))
	for _, c := range t.columns {
		head.content = append(head.content, el("th", attr{"scope", "col"}, role("columnheader"), class(headings[c.class]), c.heading))
	}
	return el("table", role("table"), attr{"aria-labelledby", heading},
		el("thead", role("rowgroup"), head), el("tbody", role("rowgroup"), t.rows))
}
