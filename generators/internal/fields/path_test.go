package fields

import (
	"go/ast"
	"go/parser"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/templates"
)

// A path has the nil checks and loops on its way, each in the one before it.
func TestPath(t *testing.T) {
	t.Parallel()
	text := Key{GoType: templates.GoType{Name: "string"}, Kind: templates.StringKey}
	number := Key{GoType: templates.GoType{Name: "int32"}, Kind: templates.IntKey}
	for _, c := range []struct {
		name, typ string // of the field Names of obj.Spec
		embedded  bool   // Spec is
		key       Key
		parts     int // of the type
		want      string
	}{
		{"value", "string", false, text, 0, "obj.Spec.Names"},
		{"of an embedded field", "string", true, text, 0, "(obj.Spec).Names"},
		{"pointer", "*string", false, text, 1, "if obj.Spec.Names != nil { *obj.Spec.Names"},
		{"whole slice", "[]string", false, text, 1, "obj.Spec.Names..."},
		{"slice of numbers", "[]int32", false, number, 1, "for i := range obj.Spec.Names { obj.Spec.Names[i]"},
		{"array", "[2]string", false, text, 1, "for i := range obj.Spec.Names { obj.Spec.Names[i]"},
		{"slice of slices", "[][]int32", false, number, 2, "for i := range obj.Spec.Names { for i2 := range obj.Spec.Names[i] { obj.Spec.Names[i][i2]"},
		{"map of pointers", "map[string]*(string)", false, text, 3, "for _, entry := range obj.Spec.Names { if entry != nil { *entry"},
		{"pointer to a slice", "*[]int32", false, number, 2, "if obj.Spec.Names != nil { for i := range (*obj.Spec.Names) { (*obj.Spec.Names)[i]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expr, err := parser.ParseExpr(c.typ)
			if err != nil {
				t.Fatal(err)
			}
			of := load.Expression{Expr: expr}
			path := From("obj").Field(ast.NewIdent("Spec"), c.embedded).Field(ast.NewIdent("Names"), false)
			for range c.parts {
				var ok bool
				if of, path, ok = path.Part(of); !ok {
					t.Fatalf("%s has fewer parts", c.typ)
				}
			}
			if _, _, ok := path.Part(of); ok {
				t.Errorf("%s has more parts", c.typ)
			}
			blocks, value := path.Values(c.key)
			if got := strings.Join(append(blocks, value), " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := strings.Join(path.Names, "."); got != "Spec.Names" || path.Hidden != "" {
				t.Errorf("names %q, hidden %q", got, path.Hidden)
			}
		})
	}
	if path := From("obj").Field(ast.NewIdent("spec"), false); path.Hidden != "spec" {
		t.Errorf("hidden %q, want spec", path.Hidden)
	}
}
