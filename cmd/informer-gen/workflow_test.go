package main

import (
	"go/token"
	"path/filepath"
	"testing"
)

func TestWorkflowCommand(t *testing.T) {
	t.Parallel()
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	for _, c := range []struct {
		d    diagnostic
		want string
	}{
		{newDiagnostic(isError, at("api/v1/types.go", 6, 4), "+x: unknown: y"), "::error file=api/v1/types.go,line=6,col=4,title=informer-gen::+x: unknown: y"},
		{newDiagnostic(isWarning, at("a.go", 6, 0), "w"), "::warning file=a.go,line=6,title=informer-gen::w"},
		{newDiagnostic(isError, at("a.go", 0, 0), "e"), "::error file=a.go,title=informer-gen::e"},
		{newDiagnostic(isError, at("", 0, 0), "100%\r\n::error::x"), "::error title=informer-gen::100%25%0D%0A::error::x"},
		{newDiagnostic(isError, at("a,line=9::b%\n.go", 1, 1), "e"), "::error file=a%2Cline=9%3A%3Ab%25%0A.go,line=1,col=1,title=informer-gen::e"},
	} {
		if got := workflowCommand(c.d); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Annotations are relative to the checkout, wherever in it the tool runs.
func TestInWorkspace(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("/checkout")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ workspace, dir, file, want string }{
		{root, filepath.Join(root, "operator"), "api/types.go", "operator/api/types.go"},
		{root, filepath.Join(root, "operator"), "../api/types.go", "api/types.go"},
		{root, root, filepath.Join(root, "api/types.go"), "api/types.go"},
		{root, filepath.Join(root, "../elsewhere"), "api/types.go", filepath.ToSlash(filepath.Join(root, "../elsewhere/api/types.go"))},
		{"", root, "api/types.go", "api/types.go"},
		{root, root, "", ""},
	} {
		if got := inWorkspace(c.workspace, c.dir, c.file); got != c.want {
			t.Errorf("%v: got %s", c, got)
		}
	}
}
