package load

import (
	"bytes"
	"fmt"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// GoFiles lists the Go files of a directory that the go command looks at, sorted:
// regular ones, or links to some, that are no tests and do not begin with "." or
// "_", as the lock files of editors do.
func GoFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if isGoFile(dir, entry) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func isGoFile(dir string, entry os.DirEntry) bool {
	name := entry.Name()
	if filepath.Ext(name) != ".go" || name[0] == '.' || name[0] == '_' || strings.HasSuffix(name, "_test.go") {
		return false
	}
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, name))
	return err != nil || info.Mode().IsRegular() // the go command fails on a dangling link, and so must we
}

func hasGoFiles(dir string) bool {
	names, _ := GoFiles(dir) // no directory, no files
	return len(names) > 0
}

// Quotes reports whether a Go file of a directory has a text in quotes, as imports have paths.
func Quotes(dir, text string) bool {
	names, _ := GoFiles(dir) // no directory, no files
	return slices.ContainsFunc(names, func(name string) bool {
		source, _ := os.ReadFile(filepath.Join(dir, name))
		return bytes.Contains(source, []byte(strconv.Quote(text)))
	})
}

// buildContext decides which files are built: this system, and the tags
// that GOFLAGS sets, in the environment or with "go env -w".
func buildContext() build.Context {
	context := build.Default
	for _, field := range flagField.FindAllStringSubmatch(goEnv("GOFLAGS"), -1) {
		flag := field[1] + field[2] + field[3]
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-"), "=")
		if name == "tags" {
			context.BuildTags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return context
}

// flagField matches a flag in GOFLAGS, which may stand in quotes as a whole.
var flagField = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)

// goEnv returns a variable as the go command sees it: of the environment, or set by "go env -w".
func goEnv(name string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	file := os.Getenv("GOENV")
	if dir, err := os.UserConfigDir(); file == "" && err == nil {
		file = filepath.Join(dir, "go", "env")
	}
	content, _ := os.ReadFile(file) // which need not exist
	for line := range bytes.Lines(content) {
		if value, ok := bytes.CutPrefix(line, []byte(name+"=")); ok {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// constraints are the words without which only a file's name limits where it is built.
var constraints = [][]byte{[]byte("go:build"), []byte("+build"), []byte(`"C"`), []byte("`C`")}

// Included reports whether the go command would build a file.
func (l *Loader) Included(dir, name string, source []byte) bool {
	if !slices.ContainsFunc(constraints, func(word []byte) bool { return bytes.Contains(source, word) }) {
		if !strings.Contains(name, "_") {
			return true // as nearly all files are
		}
		source = []byte("package p\n") // which takes less time to read
	}
	context := l.build
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(source)), nil }
	match, err := context.MatchFile(dir, name)
	return err != nil || match // a file that can't be read that far has a syntax error to report
}

// UnbuiltReason says why the types of a file that is not built are skipped.
func (l *Loader) UnbuiltReason(name string) string {
	return fmt.Sprintf("%s is not built on %s/%s with the tags of GOFLAGS; run with GOOS, GOARCH or GOFLAGS=-tags=… that its build constraints want", name, l.build.GOOS, l.build.GOARCH)
}
