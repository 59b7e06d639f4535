package generators

import (
	"go/ast"
	"go/doc"
	"regexp"
	"strings"
)

// typeComments are the comments that belong to a type, as gengo has it: the one
// that ends on the line above it, and the one before that, with one empty line
// between.
type typeComments struct{ closest, second *ast.CommentGroup }

func (d *declaration) comments() typeComments {
	fset := d.pkg.loader.fset
	line := fset.PositionFor(d.spec.Pos(), false).Line
	closest := d.file.comments[line-1]
	if closest == nil {
		return typeComments{second: d.file.comments[line-2]}
	}
	return typeComments{closest: closest, second: d.file.comments[fset.PositionFor(closest.Pos(), false).Line-2]}
}

// markers are those of both comments, the second closest first.
func (c typeComments) markers() markers { return parseMarkers(c.second, c.closest) }

var htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// sentence returns the first sentence of the comment, on one line.
func (c typeComments) sentence() string {
	for _, group := range []*ast.CommentGroup{c.closest, c.second} {
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

// lines are the lines of a comment, as gengo keeps them.
func lines(group *ast.CommentGroup) []string {
	if group == nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(group.Text()), "\n")
}
