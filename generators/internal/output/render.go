package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// File is a file to generate.
type File struct {
	// Path is where it goes, absolute.
	Path string
	// Data is the template's data.
	Data templates.Data
}

// Rendered is a file with its content, which is left out if it equals what stands
// there already.
type Rendered struct {
	Path         string // absolute
	Same         bool
	Content, old []byte // old is nil if nothing stands there
}

// Render renders and formats outputs, in their order, and calls done after each.
func Render(ctx context.Context, outputs []File, head *header.Header, done func()) ([]Rendered, error) {
	files := make([]Rendered, len(outputs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, out := range outputs {
		group.Go(func() error {
			defer done()
			if err := ctx.Err(); err != nil {
				return err
			}
			old, err := os.ReadFile(out.Path)
			if err != nil && !errors.Is(err, os.ErrNotExist) && !paths.IsNotDirectory(err) {
				return fmt.Errorf("output: %w", err)
			}
			body, err := templates.Render(out.Data)
			if err != nil {
				return fmt.Errorf("output %s: %w", out.Path, err)
			}
			content, err := format.Source(append(head.Text(old), body...))
			if err != nil {
				return fmt.Errorf("output %s: generated code does not parse: %v\n%s", out.Path, err, numbered(body)) //nolint:errorlint // its positions are not those of the input
			}
			if bytes.Equal(content, old) {
				files[i] = Rendered{Path: out.Path, Same: true}
				return nil
			}
			files[i] = Rendered{Path: out.Path, Content: bytes.Clone(content), old: old} // cloned: without spare capacity
			return nil
		})
	}
	return files, group.Wait()
}

// numbered returns source with line numbers, for an error message.
func numbered(source []byte) string {
	var b strings.Builder
	n := 0
	for line := range bytes.Lines(source) {
		n++
		fmt.Fprintf(&b, "%4d\t%s", n, line)
	}
	return b.String()
}
