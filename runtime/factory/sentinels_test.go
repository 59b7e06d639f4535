package factory_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each exported error of the runtime is in the table at the end of
// docs/troubleshooting.md, with a section that shows its text.
func TestTroubleshootingHasEveryError(t *testing.T) {
	data, err := os.ReadFile(troubleshooting)
	if err != nil {
		t.Fatal(err)
	}
	document := string(data)
	_, table, _ := strings.Cut(document, "\n## Errors by name\n")
	rows := map[string]string{} // name ─► heading of the section
	for line := range strings.Lines(table) {
		if name, section, ok := strings.Cut(strings.Trim(line, "|\n "), " | ["); ok {
			heading, _, _ := strings.Cut(section, "]")
			rows[strings.Trim(name, "`")] = heading
		}
	}
	for _, dir := range []string{"../cache/failure", "../source", "../controller", "."} {
		for name, text := range sentinels(t, dir) {
			heading, ok := rows[name]
			delete(rows, name)
			if !ok {
				t.Errorf("%s: no row of %s in \"Errors by name\"", troubleshooting, name)
				continue
			}
			_, section, found := strings.Cut(document, "# "+heading+"\n")
			section, _, _ = strings.Cut(section, "\n#")
			if _, block, _ := strings.Cut(section, "```text\n"); !found || !strings.Contains(oneLine(block), text) {
				t.Errorf("%s: section %q, of %s, does not show %q", troubleshooting, heading, name, text)
			}
			anchor := strings.NewReplacer(" ", "-", "'", "").Replace(strings.ToLower(heading))
			if want := fmt.Sprintf("| `%s` | [%s](#%s) |\n", name, heading, anchor); !strings.Contains(table, want) {
				t.Errorf("%s: the row of %s is not %s", troubleshooting, name, want)
			}
		}
	}
	for name := range rows {
		t.Errorf("%s: there is no error %s", troubleshooting, name)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// sentinels returns the texts of the exported variables in the package of dir that are
// made by errors.New, by their qualified names.
func sentinels(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			vars, ok := decl.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			for _, spec := range vars.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if text, ok := errorText(spec, i); ok && name.IsExported() {
						found[parsed.Name.Name+"."+name.Name] = text
					}
				}
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s: no errors found", dir)
	}
	return found
}

// errorText returns the text of the ith variable of spec if errors.New makes it.
func errorText(spec *ast.ValueSpec, i int) (string, bool) {
	if i >= len(spec.Values) {
		return "", false
	}
	call, ok := spec.Values[i].(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || fn.Sel.Name != "New" {
		return "", false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}
