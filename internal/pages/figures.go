package pages

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Measurement names a measured value: a workload and a unit, as the tables of results have them.
type Measurement struct{ Workload, Unit string }

// Figure has the columns of a row of results.
type Figure struct{ Theirs, Here, Ratio string }

// Figures are measured values. Pages show them where they have a marker:
//
//	| CPU of an event | 115 µs | 53.1 µs | 2.2× <!-- figures WORKLOAD UNIT --> |
//	It holds <!-- here WORKLOAD UNIT -->351 MB<!-- end --> then.
//
// In a row, the cells behind the first one are written. They are client-go's value and the value here of
// each unit, and the ratio of a single unit if the row has a cell for it. In a sentence, the marker names
// the column: theirs, here or ratio.
type Figures map[Measurement]Figure

// ResultsDir has the results that pages show, below the root of the repository.
const ResultsDir = "docs/results/bench"

// ReadFigures reads the tables of the results of the repository at root.
func ReadFigures(root string) (Figures, error) {
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(ResultsDir), "*.md"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no results in %s", filepath.Join(root, ResultsDir))
	}
	found := Figures{}
	for _, name := range names {
		text, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr)
		for line := range strings.Lines(string(text)) {
			if cells := cellsOf(line); len(cells) == 7 {
				found[Measurement{cells[0], cells[4]}] = Figure{cells[1], cells[2], cells[3]}
			}
		}
	}
	return found, err
}

var (
	rowMarker      = regexp.MustCompile(`<!-- figures (\S+)((?: \S+)+) -->`)
	sentenceMarker = regexp.MustCompile(`(?s)<!-- (theirs|here|ratio) (\S+) (\S+) -->.*?<!-- end -->`)
)

// Write returns the text of a page with the values in place of what stands at its markers.
func (f Figures) Write(text string) (string, error) {
	var err error
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if loc := sentenceMarker.FindStringIndex(line); loc != nil && loc[0] == 0 {
			err = errors.Join(err, fmt.Errorf("%q: a line that begins with a marker ends the paragraph", strings.TrimSpace(line)))
		}
		if rowMarker.MatchString(line) {
			var rowErr error
			lines[i], rowErr = f.row(line)
			err = errors.Join(err, rowErr)
		}
	}
	text = sentenceMarker.ReplaceAllStringFunc(strings.Join(lines, ""), func(marked string) string {
		named := sentenceMarker.FindStringSubmatch(marked)
		figure, findErr := f.find(named[2], named[3])
		err = errors.Join(err, findErr)
		return fmt.Sprintf("<!-- %s %s %s -->%s<!-- end -->", named[1], named[2], named[3],
			map[string]string{"theirs": figure.Theirs, "here": figure.Here, "ratio": figure.Ratio}[named[1]])
	})
	return text, err
}

// row writes the cells of a row with a marker, which goes to the end of its last cell.
func (f Figures) row(line string) (string, error) {
	marker := rowMarker.FindStringSubmatch(line)
	cells := cellsOf(strings.Replace(line, marker[0], "", 1))
	units := strings.Fields(marker[2])
	if len(cells) < 1+2*len(units) {
		return line, fmt.Errorf("%s: %d cells in the row, want two for each unit behind the first", marker[0], len(cells))
	}
	var err error
	for i, unit := range units {
		figure, findErr := f.find(marker[1], unit)
		err = errors.Join(err, findErr)
		cells[1+2*i], cells[2+2*i] = figure.Theirs, figure.Here
		if len(units) == 1 && len(cells) > 3 {
			cells[3] = figure.Ratio
		}
	}
	return "| " + strings.TrimLeft(strings.Join(cells, " | ")+" "+marker[0], " ") + " |\n", err
}

// find returns a measured value as readers have it: with the unit of bytes, and a short ratio.
func (f Figures) find(workload, unit string) (Figure, error) {
	figure, ok := f[Measurement{workload, unit}]
	if !ok {
		return figure, fmt.Errorf("%s has no row of %s in %s", ResultsDir, workload, unit)
	}
	if strings.HasSuffix(unit, "-B") {
		figure.Theirs, figure.Here = inBytes(figure.Theirs), inBytes(figure.Here)
	}
	ratio, err := strconv.ParseFloat(strings.TrimSuffix(figure.Ratio, "x"), 64)
	if err == nil {
		digits := 1
		if ratio >= 10 {
			digits = 0
		}
		figure.Ratio = strconv.FormatFloat(ratio, 'f', digits, 64) + "×"
	}
	return figure, nil
}

var multiple = strings.NewReplacer("k", " KB", "M", " MB", "G", " GB")

// inBytes writes a number of results, such as 705M, with its unit.
func inBytes(number string) string {
	if text := multiple.Replace(number); text != number {
		return text
	}
	return number + " B"
}

// Unmarked returns the text of a page without what stands at its markers.
func Unmarked(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(sentenceMarker.ReplaceAllString(text, "")) {
		if !rowMarker.MatchString(line) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// WriteFigures writes the figures of the README and of the pages of the guide, in the repository at root.
func WriteFigures(root string) error {
	figures, err := ReadFigures(root)
	if err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	for _, name := range append(names, filepath.Join(root, "README.md")) {
		text, readErr := os.ReadFile(name)
		if readErr != nil {
			return errors.Join(err, readErr)
		}
		written, writeErr := figures.Write(string(text))
		if writeErr == nil && written != string(text) {
			writeErr = os.WriteFile(name, []byte(written), 0o644)
		}
		if writeErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, writeErr))
		}
	}
	return err
}

// cellsOf returns the cells of a row of a table, or nothing.
func cellsOf(line string) []string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(inner, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}
