package output

import (
	"context"
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// File is a file to generate.
type File struct {
	// Path is where it goes, absolute.
	Path string
	// Template makes it of Data. Users says that the template is one of a user.
	Template *templates.Template
	Data     *templates.File
	Users    bool
}

// Problem is an error about a file: what is wrong, and what to do. It is at the place in the template
// that gave a place of what was rendered, if that is known.
func (f File) Problem(at token.Position, wrong, advice string) *scanner.Error {
	return f.Template.Problem(f.Data, at, wrong, advice)
}

// Rendered is a file with its content, and what stands there, which is nil if nothing does.
type Rendered struct {
	File
	Content, Old []byte
}

// Render renders and formats outputs, in their order. Problems of templates are a
// go/scanner.ErrorList.
func Render(ctx context.Context, outputs []File, head *header.Header) ([]Rendered, error) {
	files, problems := make([]Rendered, len(outputs)), make([]*scanner.Error, len(outputs))
	var group errgroup.Group
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) { // and not one for each file, whose stack would have to grow anew
		group.Go(func() (err error) {
			for i := next.Add(1) - 1; err == nil && i < int64(len(outputs)); i = next.Add(1) - 1 {
				files[i], err = outputs[i].rendered(ctx, head)
				if errors.As(err, &problems[i]) {
					err = nil
				}
			}
			return err
		})
	}
	return files, errors.Join(group.Wait(), distinct(problems))
}

// rendered returns the file with its content and what stands in its place.
func (f File) rendered(ctx context.Context, head *header.Header) (Rendered, error) {
	if err := ctx.Err(); err != nil {
		return Rendered{}, err
	}
	old, err := os.ReadFile(f.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) && !paths.IsNotDirectory(err) {
		return Rendered{}, fmt.Errorf("output: %w", err)
	}
	content, err := f.render(head, old)
	if err != nil {
		return Rendered{}, fmt.Errorf("output %s: %w", f.Path, err)
	}
	return Rendered{f, content, old}, nil
}

// render returns the content of a file.
func (f File) render(head *header.Header, old []byte) ([]byte, error) {
	body, err := f.Template.Render(f.Data)
	if err != nil {
		return nil, err
	}
	if f.Data.Package == "" {
		if !header.IsOurs(body) {
			return nil, f.Problem(token.Position{}, "template: its files can't be told from others", "write {{.Generated}} in a comment that is a line of its own")
		}
		return body, nil
	}
	content, err := format.Source(append(head.Text(f.Data.Generated, old), body...))
	if err != nil {
		return nil, f.notGo(body)
	}
	return content, nil
}

// notGo says what in the source that a template gave is not Go.
func (f File) notGo(source []byte) error {
	_, err := format.Source(lineDirective.ReplaceAll(source, []byte("$1    "))) // without a header, and with its own positions
	var problems scanner.ErrorList
	if !errors.As(err, &problems) || len(problems) == 0 {
		return err
	}
	at, text := problems[0].Pos, ""
	if lines := strings.Split(string(source), "\n"); at.Line > 0 && at.Line <= len(lines) {
		text = diag.Short(strings.TrimSpace(lines[at.Line-1]))
	}
	return f.Problem(at, fmt.Sprintf("template: renders what is not Go: %s: %q", diag.Short(problems[0].Msg), text), "")
}

// lineDirective matches what gives lines of Go other positions.
var lineDirective = regexp.MustCompile(`(//|/\*)line`)

// distinct has one problem for each place in a template: the problem of the first file.
func distinct(problems []*scanner.Error) error {
	var found scanner.ErrorList
	told := map[token.Position]bool{}
	for _, problem := range problems {
		if problem != nil && !told[problem.Pos] {
			told[problem.Pos] = true
			found = append(found, problem)
		}
	}
	found.Sort()
	return found.Err()
}
