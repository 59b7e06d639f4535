package policy

import (
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/internal/pages"
)

// These tests hold the pages of the documentation to the code. Each link leads somewhere, and each block of
// Go is code that a test compiles. Each command and flag exists, and a test expects each output. A page
// whose blocks a test takes and runs is in takenBy.

// takenBy are the pages whose blocks of code and commands are run as they are, with the files that run
// them. Each file must name its page's blocks by their headings, or take all of them.
var takenBy = map[string]struct {
	scripts string // a pattern of scripts with lines such as: recipe 'Heading' file 2
	test    string // a file with a test that takes every block
}{
	"docs/recipes.md":   {scripts: "cmd/informer-gen/testdata/recipe*.txtar"},
	"docs/indexes.md":   {scripts: "cmd/informer-gen/testdata/recipe*.txtar"},
	"docs/templates.md": {scripts: "cmd/informer-gen/testdata/recipe*.txtar"},

	"README.md":           {test: "test/generate/way_test.go"},
	"docs/editors.md":     {test: "cmd/informer-gen/editors_test.go"},
	"docs/kubebuilder.md": {test: "test/generate/kubebuilder_test.go"},
}

// writtenBy are the pages, or their blocks of text, that a program or a test writes or
// compares as a whole.
var writtenBy = map[string]string{
	"docs/troubleshooting.md": "runtime/factory/troubleshooting_test.go",
	"README.md":               "docs_test.go", // TestReadme
	"docs/README.md":          "docs_test.go", // TestTree
}

// diagrams are pages whose blocks of text are drawings.
var diagrams = []string{"ARCHITECTURE.md"}

func TestLinks(t *testing.T) {
	all := map[string]*pages.Page{}
	for _, name := range markdown(t) {
		all[name] = readPage(t, name)
	}
	for name, page := range all {
		for _, problem := range page.Problems {
			t.Error(problem)
		}
		for _, link := range page.Links {
			if err := checkLink(all, name, link.Target); err != nil {
				t.Errorf("%s:%d: %v", name, link.Line, err)
			}
		}
	}
}

var (
	sourceLink = regexp.MustCompile(`https://github\.com/([\w.-]+/[\w.-]+)/(?:blob|tree)/([^/\s)#]+)`)
	fixedRef   = regexp.MustCompile(`^(?:v?\d+\.\d+\.\d+|[0-9a-f]{12,40})$`)
)

// Files of other projects are linked at a tag or a commit: what they say then stays true.
func TestLinksToSources(t *testing.T) {
	found := 0
	for _, name := range markdown(t) {
		for _, link := range sourceLink.FindAllStringSubmatch(read(t, name), -1) {
			found++
			if link[1] != "informer-gen/informer-gen" && !fixedRef.MatchString(link[2]) {
				t.Errorf("%s: %s: %q is neither a tag nor a commit", name, link[0], link[2])
			}
		}
	}
	if found == 0 {
		t.Error("no links")
	}
}

// checkLink follows a link of a page to a file and to a heading in it. Addresses of the
// network are only read.
func checkLink(all map[string]*pages.Page, from, target string) error {
	link, err := url.Parse(target)
	switch {
	case err != nil:
		return err
	case link.Scheme == "https" && link.Host != "":
		return nil
	case link.Scheme != "" || path.IsAbs(link.Path):
		return fmt.Errorf("link %q: neither https nor relative to the page", target)
	}
	to := from
	if link.Path != "" {
		to = path.Join(path.Dir(from), link.Path)
	}
	if _, err := os.Stat(filepath.FromSlash(to)); err != nil {
		return fmt.Errorf("link %q: %w", target, err)
	}
	if page, ok := all[to]; link.Fragment != "" && (!ok || !page.Anchors[link.Fragment]) {
		return fmt.Errorf("link %q: %s has no such heading", target, to)
	}
	return nil
}

// Each page of docs is in the reading order of the guide.
func TestGuideHasEachPage(t *testing.T) {
	linked := map[string]bool{}
	for _, link := range readPage(t, "docs/README.md").Links {
		target, _, _ := strings.Cut(link.Target, "#")
		linked[path.Join("docs", target)] = true
	}
	for _, name := range markdown(t) {
		if path.Dir(name) == "docs" && name != "docs/README.md" && !linked[name] {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

// Pages that comments and messages of the code name exist.
func TestCodeNamesPages(t *testing.T) {
	named := regexp.MustCompile(`\bdocs/[\w/-]+\.md`)
	for _, name := range files(t, func(name string) bool { return slices.Contains([]string{".go", ".sh", ".yml", ""}, path.Ext(name)) }) {
		for _, page := range named.FindAllString(read(t, name), -1) {
			if _, err := os.Stat(page); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestBlocks(t *testing.T) {
	sources := readSources(t)
	for _, name := range markdown(t) {
		taken := takenBy[name]
		if taken.test != "" && !strings.Contains(read(t, taken.test), name) {
			t.Errorf("%s does not take %s", taken.test, name)
		}
		taken.scripts = readAll(t, taken.scripts)
		for _, block := range readPage(t, name).Blocks {
			where := fmt.Sprintf("%s:%d", name, block.Line)
			if taken.scripts != "" && hasRecipe(taken.scripts, block) {
				continue
			}
			switch block.Language {
			case "text":
				if writtenBy[name] == "" && !slices.Contains(diagrams, name) {
					sources.checkOutput(t, where, block.Text)
				}
			case "json":
				sources.checkJSON(t, where, block.Text)
			case "go", "sh", "bash", "console", "yaml", "makefile":
				switch {
				case taken.test != "":
				case taken.scripts != "":
					t.Errorf("%s: no script takes block %d of %q", where, block.Number, block.Heading)
				case block.Language == "go":
					sources.checkCode(t, where, block.Text)
				case block.Language == "yaml" && strings.Contains(read(t, "examples/shards/deploy.yaml"), block.Text):
				case block.Language == "sh" || block.Language == "console":
					checkCommands(t, where, block.Text)
				default:
					t.Errorf("%s: nothing checks a block of %s", where, block.Language)
				}
			default:
				t.Errorf("%s: block of the language %q, want go, sh, yaml, json or text", where, block.Language)
			}
		}
	}
}

// Each block of Go closes what it opens, so that readers can paste it.
func TestBlocksAreClosed(t *testing.T) {
	for _, name := range markdown(t) {
		for _, block := range readPage(t, name).Blocks {
			if block.Language != "go" {
				continue
			}
			if open := openBrackets(block.Text); len(open) > 0 {
				t.Errorf("%s:%d: the block does not close %s", name, block.Line, open)
			}
		}
	}
}

// openBrackets returns the brackets that code opens and does not close, or closes and does not open.
func openBrackets(code string) (open []token.Token) {
	closing := map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACE: token.LBRACE, token.RBRACK: token.LBRACK}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), []byte(code), func(token.Position, string) {}, 0) // … is no token
	for _, tok, _ := s.Scan(); tok != token.EOF; _, tok, _ = s.Scan() {
		switch opening := closing[tok]; {
		case tok == token.LPAREN || tok == token.LBRACE || tok == token.LBRACK:
			open = append(open, tok)
		case opening == token.ILLEGAL:
		case len(open) > 0 && open[len(open)-1] == opening:
			open = open[:len(open)-1]
		default:
			return append(open, tok)
		}
	}
	return open
}

// Four packages are called cache. The code of a page uses that name for one of them only.
func TestPagesHaveOneCache(t *testing.T) {
	packages := []map[string]bool{exported(t, "runtime/cache/api.txt"), exported(t, "runtime/clientgo/cache/api.txt"), // client-go's names too
		{"ByObject": true, "Cache": true, "New": true, "Options": true}} // controller-runtime's
	used := regexp.MustCompile(`(?:^|[^\w/.])cache\.([A-Z]\w*)`)
	for _, name := range markdown(t) {
		names := map[string]bool{}
		for _, block := range readPage(t, name).Blocks {
			for _, found := range used.FindAllStringSubmatch(block.Text, -1) {
				if block.Language == "go" {
					names[found[1]] = true
				}
			}
		}
		if !slices.ContainsFunc(packages, func(has map[string]bool) bool {
			return !slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(name string) bool { return !has[name] })
		}) {
			t.Errorf("%s: cache is several packages: %v", name, slices.Sorted(maps.Keys(names)))
		}
	}
}

// exported returns the names in a listing of what a package exports.
func exported(t *testing.T, listing string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^(?:func|type|const|var) (\w+)`).FindAllStringSubmatch(read(t, listing), -1) {
		names[found[1]] = true
	}
	return names
}

// Each row of a table that finds a section by a message has a part of a message in it.
func TestTroubleshootingByMessage(t *testing.T) {
	const name = "docs/troubleshooting.md"
	messages := map[string]string{} // by heading
	for _, block := range readPage(t, name).Blocks {
		if block.Language == "text" {
			messages[block.Heading] += " " + oneLine(block.Text)
		}
	}
	_, table, _ := strings.Cut(read(t, name), "\n## By message\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `(.+)` \\| \\[(.+)\\]\\(#.+\\) \\|$").FindAllStringSubmatch(table, -1)
	if len(rows) < 30 {
		t.Errorf("%s: %d rows by message", name, len(rows))
	}
	for _, row := range rows {
		if part, heading := row[1], row[2]; !strings.Contains(messages[heading], part) {
			t.Errorf("%s: no message below %q has %q", name, heading, part)
		}
	}
}

// The page on handlers has each cause of their calls.
func TestHandlersPageHasEachCause(t *testing.T) {
	page := read(t, "docs/handlers.md")
	kinds := regexp.MustCompile(`(?m)^const (\w+) Kind = `).FindAllStringSubmatch(read(t, "runtime/cache/cause/api.txt"), -1)
	if len(kinds) == 0 {
		t.Fatal("runtime/cache/cause/api.txt has no kinds")
	}
	for _, kind := range kinds {
		if !strings.Contains(page, "\n| `"+kind[1]+"` |") {
			t.Errorf("docs/handlers.md: the table of causes is without %s", kind[1])
		}
	}
}

// Commands within sentences are those that exist, too.
func TestCommandsInSentences(t *testing.T) {
	for _, name := range markdown(t) {
		for _, code := range readPage(t, name).Code {
			for _, program := range []string{"make ", "go test ", "go run ", "go tool informer-gen "} {
				if strings.HasPrefix(code.Target, program) && (takenBy[name].test == "" || name == "README.md") {
					checkCommands(t, fmt.Sprintf("%s:%d", name, code.Line), code.Target)
				}
			}
		}
	}
}

// The tree in the guide has the files that are generated for orders.
func TestTree(t *testing.T) {
	const root, golden = "pkg/generated", "testdata/kubebuilder/generated"
	shown, open := map[string]bool{}, map[string]bool{} // open are the folders whose files are shown
	for _, block := range readPage(t, "docs/README.md").Blocks {
		if block.Language != "text" || !strings.HasPrefix(block.Text, root+"\n") {
			continue
		}
		var at []string
		for line := range strings.Lines(strings.TrimPrefix(block.Text, root+"\n")) {
			before, after, _ := strings.Cut(line, "── ")
			depth := len([]rune(before)) / 4 // what a level is indented by
			at = append(at[:depth], strings.Fields(after)[0])
			shown[path.Join(at...)], open[path.Join(at[:depth]...)] = true, true
		}
	}
	err := fs.WalkDir(os.DirFS(golden), ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && name != "." && open[path.Dir(name)] && !shown[name] && !strings.Contains(name, "shipment") && !strings.Contains(name, "warehouse") {
			t.Errorf("docs/README.md: the tree does not have %s", name)
		}
		delete(shown, name)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for name := range shown {
		t.Errorf("docs/README.md: %s of the tree is not generated", name)
	}
}

var (
	// vague are words that say less than a verb would: X reports whether, X is the, X returns.
	vague = regexp.MustCompile(`\b(?:is|are) (?:whether|what|how)\b`)
	// inverted is a sentence that begins with what it is not about. Functions and fields may be called Of.
	inverted = regexp.MustCompile(`(?:^|\. |// )Of (?:[a-df-hj-qt-z]|s[^a]|r[^e]|e[^s]|i[^s])`)
	comment  = regexp.MustCompile(`(?:^|\s)// .*`)
)

// Pages and comments say what things are.
func TestPlainWords(t *testing.T) {
	for _, name := range markdown(t) {
		if strings.HasPrefix(name, "docs/results/") {
			continue // written by commands
		}
		code := false
		for i, line := range strings.Split(read(t, name), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if !code {
				checkWords(t, name, i, line)
			}
		}
	}
	sources := files(t, func(name string) bool {
		folder, _, _ := strings.Cut(name, "/")
		return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !slices.Contains([]string{"examples", "test", "testdata"}, folder)
	})
	for _, name := range sources {
		for i, line := range strings.Split(read(t, name), "\n") {
			checkWords(t, name, i, comment.FindString(line))
		}
	}
}

func checkWords(t *testing.T, name string, i int, line string) {
	t.Helper()
	if words := vague.FindString(line); words != "" {
		t.Errorf("%s:%d: %q: say what it reports, returns or counts", name, i+1, words)
	}
	if inverted.MatchString(line) {
		t.Errorf("%s:%d: a sentence begins with Of: begin with its subject", name, i+1)
	}
}

// The guide is read in an evening. What tests and commands write of what they measured is in
// docs/results.
func TestGuideIsShort(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	words := 0
	for _, page := range pages {
		words += len(strings.Fields(visible(read(t, page))))
	}
	if words > 26_000 {
		t.Errorf("docs: %d words on %d pages, want 26,000 at most", words, len(pages))
	}
}

// The README makes its case in a minute, with a message of the page that a test writes.
func TestReadme(t *testing.T) {
	text := visible(read(t, "README.md"))
	if words, lines := len(strings.Fields(text)), strings.Count(text, "\n"); words > 900 || lines > 90 {
		t.Errorf("README.md: %d words in %d lines, want 900 in 90 at most", words, lines)
	}
	messages, err := os.ReadFile("docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range readPage(t, "README.md").Blocks {
		if block.Language == "text" && !strings.Contains(oneLine(string(messages)), oneLine(block.Text)) {
			t.Errorf("README.md: no informer says this:\n%s", block.Text)
		}
	}
}

// What the README says has run is in the results.
func TestReadmeNamesResults(t *testing.T) {
	readme, corpus := read(t, "README.md"), read(t, "docs/results/corpus.md")
	projects := len(regexp.MustCompile(`(?m)^\| \S+\.\S+/\S+ \|`).FindAllString(corpus, -1))
	wrong := regexp.MustCompile(`(?m)^\| all \| \| \d+ \| \d+ \| (\d+) \|`).FindStringSubmatch(corpus)
	specs := regexp.MustCompile(`(\d+) specs`).FindString(read(t, "docs/results/users.md"))
	if len(wrong) == 0 || wrong[1] != "0" {
		t.Errorf("docs/results/corpus.md: wrong types %q, README.md says none", wrong)
	}
	for _, want := range []string{fmt.Sprintf("[%d public projects](docs/results/corpus.md), no type wrong", projects), "controller-runtime (" + specs + ")"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md: want %q, as the results say", want)
		}
	}
}

// visible returns a page without its comments, which readers do not see.
func visible(text string) string { return hidden.ReplaceAllString(text, "") }

var hidden = regexp.MustCompile(`(?s)<!--.*?-->`)

// hasRecipe reports whether a script takes a block.
func hasRecipe(scripts string, block pages.Block) bool {
	heading := "(?:'" + regexp.QuoteMeta(strings.ReplaceAll(block.Heading, "'", "''")) + "'|" + regexp.QuoteMeta(block.Heading) + ")"
	number := ""
	if block.Number > 1 {
		number = fmt.Sprint(" ", block.Number)
	}
	return regexp.MustCompile(`(?m)^recipe ` + heading + ` \S+` + number + `$`).MatchString(scripts)
}

// sources are the texts with which the blocks of pages are compared.
type sources struct {
	// code has the lines of each file of Go that is compiled, without the package and the
	// spaces; texts has every other file, and strings of Go, with one space for several.
	code  []string
	texts string
}

func readSources(t *testing.T) sources {
	t.Helper()
	var s sources
	var texts strings.Builder
	for _, name := range files(t, func(name string) bool { return path.Ext(name) != ".md" && path.Ext(name) != ".svg" }) {
		text := read(t, name)
		if path.Ext(name) == ".go" && !strings.Contains(name, "/bad/") {
			s.code = append(s.code, codeLines(text))
		}
		texts.WriteString(oneLine(text))
	}
	s.texts = texts.String()
	return s
}

// asUsers replaces the import paths of this repository by the paths of users.
var asUsers = strings.NewReplacer(
	"github.com/informer-gen/informer-gen/testdata/minimal/generated", "example.com/shop/pkg/generated",
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated", "example.com/shop/pkg/generated",
	"github.com/informer-gen/informer-gen/testdata/kubebuilder", "example.com/shop",
)

// codeLines are the lines of a program that count: without spaces at their ends and in a row,
// empty lines, build tags, the package, and the keyword of a single import.
func codeLines(text string) string {
	var lines []string
	for line := range strings.Lines(asUsers.Replace(text)) {
		if line = oneLine(line); line != "" && !strings.HasPrefix(line, "package ") && !strings.HasPrefix(line, "//go:build ") {
			lines = append(lines, strings.TrimPrefix(line, "import "))
		}
	}
	return strings.Join(lines, "\n")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// checkCode wants a block with a package to be a file, and each part of another one, between
// lines of …, to be in one.
func (s sources) checkCode(t *testing.T, where, block string) {
	t.Helper()
	if strings.HasPrefix(block, "package ") {
		if !slices.Contains(s.code, codeLines(block)) {
			t.Errorf("%s: no file that is compiled is this program", where)
		}
		return
	}
	for part := range strings.SplitSeq(codeLines(block), "\n…\n") {
		if !slices.ContainsFunc(s.code, func(file string) bool { return strings.Contains(file, part) }) {
			t.Errorf("%s: no file that is compiled has these lines:\n%s", where, part)
		}
	}
}

// checkOutput wants each line of a block to be in the data or the code of a test.
func (s sources) checkOutput(t *testing.T, where, block string) {
	t.Helper()
	for line := range strings.Lines(block) {
		if line = oneLine(line); line != "" && !strings.Contains(s.texts, line) {
			t.Errorf("%s: no test expects the line %q", where, line)
		}
	}
}

// checkJSON wants a block to be the JSON of an object, or of a field of one, whose names the
// code has.
func (s sources) checkJSON(t *testing.T, where, block string) {
	t.Helper()
	if !json.Valid([]byte(block)) && !json.Valid([]byte("{"+block+"}")) {
		t.Errorf("%s: neither JSON nor a field of an object", where)
	}
	for _, name := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(block, -1) {
		if !strings.Contains(s.texts, "`json:\""+name[1]) {
			t.Errorf("%s: no struct has the field %s", where, name[1])
		}
	}
}

// checkCommands wants the targets, folders, tests and flags of commands to exist.
func checkCommands(t *testing.T, where, block string) {
	t.Helper()
	block = strings.ReplaceAll(block, "\\\n", " ")
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(line, " # ")
		dir := "."
		for command := range strings.SplitSeq(line, "&&") {
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(command), "$ "))
			if len(words) == 2 && words[0] == "cd" {
				dir = path.Join(dir, words[1])
				continue
			}
			if err := checkCommand(dir, words); err != nil {
				t.Errorf("%s: %q: %v", where, strings.TrimSpace(line), err)
			}
		}
	}
}

// others are the other programs whose commands the pages may show.
var others = []string{"kubectl", "kubebuilder", "curl", "git"}

func checkCommand(dir string, words []string) error {
	for len(words) > 0 && strings.Contains(words[0], "=") { // the environment
		words = words[1:]
	}
	switch {
	case len(words) == 0 || slices.Contains(others, words[0]):
		return nil
	case words[0] == "make":
		return checkTargets(words[1:])
	case words[0] == "informer-gen":
		return checkFlags(words[1:])
	case len(words) > 1 && words[0] == "go":
		return checkGo(dir, words[1], words[2:])
	}
	return fmt.Errorf("unknown program %q", words[0])
}

func checkTargets(targets []string) error {
	makefile, err := os.ReadFile("Makefile")
	for _, target := range targets {
		if err == nil && !strings.Contains(target, "=") && !strings.Contains(string(makefile), "\n"+target+":") {
			err = fmt.Errorf("no target %s in the Makefile", target)
		}
	}
	return err
}

// Each target is in the list of make, or of make help-all.
func TestTargetsAreListed(t *testing.T) {
	makefile := read(t, "Makefile")
	targets := regexp.MustCompile(`(?m)^\.PHONY: ([\w-]+)$`).FindAllStringSubmatch(makefile, -1)
	if len(targets) < 20 {
		t.Errorf("%d targets in the Makefile", len(targets))
	}
	for _, target := range targets {
		if !regexp.MustCompile(`(?m)^` + target[1] + `:[^#\n]* ###? \S`).MatchString(makefile) {
			t.Errorf("Makefile: no line says what %s does", target[1])
		}
	}
}

// checkFlags wants the flags of a command to be informer-gen's.
func checkFlags(words []string) error {
	source, err := os.ReadFile(filepath.FromSlash("cmd/informer-gen/flags.go"))
	for _, word := range words {
		name, isLong := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if err == nil && isLong && !strings.Contains(string(source), fmt.Sprintf("%q, ", name)) {
			err = fmt.Errorf("informer-gen has no flag --%s", name)
		}
	}
	return err
}

// checkGo wants the folders that a go command names to exist, and the tests and benchmarks
// that it selects.
func checkGo(dir, verb string, words []string) error {
	switch verb {
	case "get", "mod", "install", "generate":
		return nil
	case "tool":
		if len(words) == 0 || words[0] != "informer-gen" {
			return fmt.Errorf("unknown tool %q", words)
		}
		return checkFlags(words[1:])
	case "test", "run", "build", "vet":
	default:
		return fmt.Errorf("unknown command go %s", verb)
	}
	var folders []string
	for _, word := range words {
		if word == "." || strings.HasPrefix(word, "./") {
			folder := path.Join(dir, strings.TrimSuffix(word, "/..."))
			if _, err := os.Stat(folder); err != nil {
				return err
			}
			folders = append(folders, folder)
		}
	}
	for i, word := range words[:max(0, len(words)-1)] {
		kind := map[string]string{"-run": "Test|Example|Fuzz", "-bench": "Benchmark"}[word]
		if pattern := strings.Trim(words[i+1], "'"); kind != "" && pattern != "XXX" && pattern != "." {
			if err := checkSelected(folders, kind, pattern); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSelected wants a pattern of go test to select something in some folders.
func checkSelected(folders []string, kind, pattern string) error {
	selects, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	functions := regexp.MustCompile(`(?m)^func ((?:` + kind + `)\w*)\(`)
	if len(folders) == 0 { // that of the reader, which a sentence names
		for _, level := range []string{"*/*", "*/*/*/*"} {
			found, err := filepath.Glob(level)
			if err != nil {
				return err
			}
			folders = append(folders, found...)
		}
	}
	for _, folder := range folders {
		names, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, function := range functions.FindAllStringSubmatch(string(source), -1) {
				if selects.MatchString(function[1]) {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("no test in %v is selected by %s", folders, pattern)
}

// markdown returns the pages of the repository.
func markdown(t *testing.T) []string {
	t.Helper()
	return files(t, func(name string) bool { return path.Ext(name) == ".md" })
}

// files returns those files of the repository that match, but not in hidden folders.
func files(t *testing.T, match func(name string) bool) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() && (base == "bin" || name != "." && strings.HasPrefix(base, ".")) {
			return fs.SkipDir
		}
		if name = filepath.ToSlash(name); entry.Type().IsRegular() && match(name) {
			found = append(found, name)
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%d files, %v", len(found), err)
	}
	return found
}

func readPage(t *testing.T, name string) *pages.Page {
	t.Helper()
	page, err := pages.Read(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readAll returns the files that match a pattern as one text, or nothing for none.
func readAll(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range names {
		text.WriteString(read(t, name))
	}
	return text.String()
}
