package collect

import (
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
)

func TestParseComment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		comment string
		want    []string // column: marker, or column: marker|extra
	}{
		{"// +genclient", []string{"4: +genclient"}},
		{"//+genclient", []string{"3: +genclient"}},
		{"//\t +a=b c", []string{"5: +a=b c"}},
		{"// + a", nil},
		{"// a +b", nil},
		{"// +a # why", []string{"4: +a"}},
		{"// +a=b // why", []string{"4: +a=b"}},
		{"// +a=\v# why", []string{"4: +a"}},
		{"// +a // why", []string{"4: +a"}},
		{"// +a= // why", []string{"4: +a"}},
		{"// +a and more", []string{"4: +a|and more"}},
		{"// +groupName=", []string{"4: +groupName"}},
		{"/* +a */", []string{"4: +a"}},
		{"/*\n * +a=1\n\t+b\n*/", []string{"7: +a=1", "13: +b"}},
		{"// +kubebuilder:resource:path=a,scope=Cluster", []string{"4: +kubebuilder:resource:path=a,scope=Cluster"}},
	} {
		var got []string
		for _, m := range parseComment(test.comment, 1) {
			text := m.String()
			if m.extra != "" {
				text += "|" + m.extra
			}
			got = append(got, fmt.Sprintf("%d: %s", m.pos, text))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.comment, diff)
		}
	}
}

func TestParseArguments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, want string
	}{
		{`path=orders,scope=Cluster`, "path=orders scope=Cluster"},
		{`path="orders",scope='Cluster'`, "path=orders scope=Cluster"},
		{`shortName={a, "b,c"},path=x`, `shortName={a, "b,c"} path=x`},
		{`shortName=a;b,flag,path = x`, "shortName=a;b flag= path=x"},
		{"path=`a,b`", "path=a,b"},
		{`path="a`, `error: path: no closing "`},
		{`path={a`, `error: path: unbalanced braces`},
		{``, ""},
	} {
		arguments, err := parseArguments(test.text)
		var words []string
		for _, argument := range arguments {
			words = append(words, argument.name+"="+argument.value)
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzParseComment(f *testing.F) {
	for _, seed := range []string{"// +genclient", "/*\n* +a=b\n*/", "//+kubebuilder:resource:path=\"a\",shortName={b}", "/* +", "// +a=\v#=", "// +a(b=\"c\")=d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range parseComment(text, 1) {
			if m.pos < 1 || int(m.pos) > len(text) || text[m.pos-1] != '+' {
				t.Errorf("marker %v at %d of %q", m, m.pos, text)
			}
			if again, ok := parseMarker(m.String()); m.extra == "" && (!ok || again.name != m.name || again.value != m.value) {
				t.Errorf("marker %q is read again as %q", m, again)
			}
			var diags diag.List
			tagParser{at: func(token.Pos) token.Position { return token.Position{} }, diags: &diags}.parse(markers{m})
		}
	})
}
