// Package pages reads the pages of the documentation for the tests that hold them to the
// code: their headings, links, and blocks of code. It knows as much of Markdown as these
// pages use.
package pages

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode"
)

// Page is a file in Markdown.
type Page struct {
	// Path is where it was read.
	Path string
	// Anchors are the names of its headings in links.
	Anchors map[string]bool
	// Blocks are its fenced blocks, Links its links and images, and Code the pieces of code
	// within its sentences: all in their order.
	Blocks []Block
	Links  []Link
	Code   []Link
	// Problems are links with an undefined reference, references that no link uses, and a block without an
	// end.
	Problems []string
}

// Block is a fenced block of code.
type Block struct {
	// Heading is the one above it, and Number counts the blocks below that, from 1.
	Heading string
	Number  int
	// Language is the language of the fence, and Text the content of the block, with a newline at its end.
	Language, Text string
	// Before is the paragraph above it.
	Before string
	Line   int
}

// File returns the first file that the paragraph above the block names, such as cmd/main.go,
// or nothing.
func (b Block) File() string {
	for _, found := range span.FindAllStringSubmatch(b.Before, -1) {
		if file.MatchString(found[1]) {
			return found[1]
		}
	}
	return ""
}

// Link is a link and its line, or a piece of code.
type Link struct {
	Target string
	Line   int
}

var (
	heading    = regexp.MustCompile("^#{1,6} (.*)$")
	inline     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	reference  = regexp.MustCompile(`\]\[([^\]]+)\]`)
	definition = regexp.MustCompile(`^\[([^\]]+)\]: (\S+)$`)
	span       = regexp.MustCompile("`([^`]+)`")
	file       = regexp.MustCompile(`^[\w./-]*\.(go|yaml|sh)$`)
	// markup is the text that a link or code adds to a heading.
	markup = regexp.MustCompile("`|\\]\\([^)]*\\)|\\[")
)

// Read reads a page.
func Read(path string) (*Page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text)), nil
}

// Parse reads the text of a page.
func Parse(path, text string) *Page {
	p := &parser{page: &Page{Path: path, Anchors: map[string]bool{}}, defined: map[string]bool{}, used: map[string]int{}}
	for i, line := range strings.Split(text, "\n") {
		p.line(i+1, line)
	}
	if p.block != nil {
		p.problem(p.block.Line, "a block without an end")
	}
	for name, line := range p.used {
		if !p.defined[name] {
			p.problem(line, "no definition of ["+name+"]")
		}
	}
	for name := range p.defined {
		if p.used[name] == 0 {
			p.problem(0, "no link uses ["+name+"]")
		}
	}
	return p.page
}

// Block returns the block with a number below a heading.
func (p *Page) Block(heading string, number int) (Block, error) {
	for _, block := range p.Blocks {
		if block.Heading == heading && block.Number == number {
			return block, nil
		}
	}
	return Block{}, fmt.Errorf("%s: no block %d below the heading %q", p.Path, number, heading)
}

// parser reads one line after the other.
type parser struct {
	page      *Page
	heading   string
	number    int
	paragraph string
	block     *Block // that is open
	defined   map[string]bool
	used      map[string]int // the line of a reference
}

func (p *parser) line(number int, line string) {
	fence, isFence := strings.CutPrefix(line, "```")
	switch {
	case isFence && p.block != nil:
		p.page.Blocks = append(p.page.Blocks, *p.block)
		p.block = nil
	case p.block != nil:
		p.block.Text += line + "\n"
	case isFence:
		p.number++
		p.block = &Block{Heading: p.heading, Number: p.number, Language: fence, Before: strings.TrimSpace(p.paragraph), Line: number}
	default:
		p.prose(number, line)
	}
}

func (p *parser) prose(number int, line string) {
	switch {
	case strings.TrimSpace(line) != "":
		p.paragraph += line + "\n"
	case p.paragraph != "" && !strings.HasSuffix(p.paragraph, "\n\n"):
		p.paragraph += "\n" // the block may follow
	}
	if i := strings.LastIndex(strings.TrimRight(p.paragraph, "\n"), "\n\n"); i >= 0 {
		p.paragraph = p.paragraph[i+2:]
	}
	if found := heading.FindStringSubmatch(line); found != nil {
		p.heading, p.number, p.paragraph = found[1], 0, ""
		p.anchor(found[1])
	}
	if found := definition.FindStringSubmatch(line); found != nil {
		p.defined[found[1]] = true
		p.page.Links = append(p.page.Links, Link{found[2], number})
		return
	}
	for _, found := range span.FindAllStringSubmatch(line, -1) {
		p.page.Code = append(p.page.Code, Link{found[1], number})
	}
	text := span.ReplaceAllString(line, "code")
	for _, found := range inline.FindAllStringSubmatch(text, -1) {
		p.page.Links = append(p.page.Links, Link{found[1], number})
	}
	for _, found := range reference.FindAllStringSubmatch(text, -1) {
		p.used[found[1]] = number
	}
}

// anchor notes the name of a heading as GitHub makes it: lower case, a hyphen for a space,
// no punctuation, and a number behind one that is there already.
func (p *parser) anchor(heading string) {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, markup.ReplaceAllString(heading, ""))
	unique := name
	for i := 1; p.page.Anchors[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", name, i)
	}
	p.page.Anchors[unique] = true
}

func (p *parser) problem(line int, text string) {
	p.page.Problems = append(p.page.Problems, fmt.Sprintf("%s:%d: %s", p.page.Path, line, text))
}
