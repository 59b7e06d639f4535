package templates

import (
	"bytes"
	"crypto/rand"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
	"text/template/parse"
)

// Problem returns an error about a file: what is wrong, for which subject, and what to do about it, if
// advice is not empty. Its position is the place in the template that rendered the place at of the file. If
// that is not known, it is the first line of the template.
func (t *Template) Problem(file *File, at token.Position, wrong, advice string) *scanner.Error {
	found := t.at(1, "%s", about(wrong, file.Subject(), advice))
	if name, line, ok := t.origin(file, at.Line, at.Column); ok && at.IsValid() {
		found.Pos.Filename, found.Pos.Line = strings.TrimSuffix(t.Shown, t.Name)+name, line
	}
	return found
}

// about adds the subject and the advice to what is wrong; each may be empty.
func about(wrong, subject, advice string) string {
	if subject != "" {
		wrong += ", for " + subject
	}
	if advice != "" {
		wrong += "; " + advice
	}
	return wrong
}

// origin returns the template and the line that rendered a place of the file. It renders the file again,
// with a mark before each node.
func (t *Template) origin(file *File, line, column int) (name string, from int, ok bool) {
	border := rand.Text() // no template contains it
	marked, err := t.set.Clone()
	if err != nil {
		return "", 0, false
	}
	for _, each := range t.set.Templates() {
		if each.Tree != nil {
			tree := each.Tree.Copy()
			mark(tree, tree.Root, border)
			marked, err = marked.AddParseTree(each.Name(), tree)
			if err != nil {
				return "", 0, false
			}
		}
	}
	var body bytes.Buffer
	file.imports = newImports(file.Reserved, nil)
	defer func() { file.imports = nil }()
	if err := marked.ExecuteTemplate(&body, t.Name, file); err != nil {
		return "", 0, false
	}
	line -= strings.Count(file.head(), "\n")
	at, col := 1, 1
	lastName, last := "", 0 // of the last byte that ended no line
	parts := strings.Split(body.String(), border)
	for i, text := range parts {
		if i%2 == 1 {
			found := strings.SplitN(text, ":", 3)
			name = found[0]
			from, _ = strconv.Atoi(found[1])
			continue
		}
		for _, b := range []byte(text) {
			if at > line || at == line && col >= column {
				return name, from, name != ""
			}
			if b != '\n' {
				lastName, last = name, from
			}
			if col++; b == '\n' {
				at, col, from = at+1, 1, from+1
			}
		}
	}
	return lastName, last, lastName != ""
}

// mark puts a text before each node: the node's place between two borders.
func mark(tree *parse.Tree, list *parse.ListNode, border string) {
	if list == nil {
		return
	}
	var nodes []parse.Node
	for _, node := range list.Nodes {
		place, _ := tree.ErrorContext(node)
		nodes = append(nodes, &parse.TextNode{NodeType: parse.NodeText, Text: []byte(border + place + border)}, node)
		switch node := node.(type) {
		case *parse.IfNode:
			mark(tree, node.List, border)
			mark(tree, node.ElseList, border)
		case *parse.RangeNode:
			mark(tree, node.List, border)
			mark(tree, node.ElseList, border)
		case *parse.WithNode:
			mark(tree, node.List, border)
			mark(tree, node.ElseList, border)
		}
	}
	list.Nodes = nodes
}
