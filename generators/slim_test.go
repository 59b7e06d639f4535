package generators

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/output"
)

const slimOrder = `package slim

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +informer-gen:slim=example.com/shop/api/v1.Order
type Summary struct {
	metav1.TypeMeta
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `

	Own []Part ` + "`json:\"-\"`" + `
}

type Part struct{ Names []string }
`

const slimFile = "slim/" + fields.CopiesFile

// slimProject is project with a slim type of its API type, in a package of its own.
func slimProject(t *testing.T) Options {
	t.Helper()
	options := project(t)
	writeFile(t, filepath.Join(options.Dir, "slim/types.go"), slimOrder)
	options.Patterns = []string{"./slim"}
	return options
}

// changesOf are the changes of a run to one file.
func changesOf(result Result, name string) []string {
	var kinds []string
	for _, change := range result.Changes {
		if filepath.ToSlash(change.Path) == name {
			kinds = append(kinds, change.Kind)
		}
	}
	return kinds
}

// The deep copies are written, verified and removed as other generated files are. A run
// that is not to make an informer of the type leaves them alone.
func TestDeepCopiesOfSlimTypes(t *testing.T) {
	t.Parallel()
	options := slimProject(t)
	run := func(verify bool, want ...string) {
		t.Helper()
		options.Verify = verify
		result, err := Run(t.Context(), options)
		if got := changesOf(result, slimFile); !slices.Equal(got, want) {
			t.Errorf("changes of %s: %v, want %v (%v)", slimFile, got, want, err)
		}
	}
	run(true, output.Created)
	run(false, output.Created)
	run(true)
	if problems := compile(options.Dir); len(problems) > 0 {
		t.Error(problems)
	}

	file := filepath.Join(options.Dir, slimFile)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, string(content)+"// edited\n")
	run(true, output.Updated)
	run(false, output.Updated)

	options.Patterns, options.Exclude = []string{"./api/v1", "./slim"}, []string{"Summary"}
	run(true)
	options.Exclude = nil
	writeFile(t, filepath.Join(options.Dir, "slim/types.go"), strings.Replace(slimOrder, "+informer-gen:slim", "A summary of", 1))
	options.KeepStale = true
	run(true)
	options.KeepStale = false
	run(true, output.Removed)
	run(false, output.Removed)
	run(true)
}

// A file that is not generated is not overwritten.
func TestDeepCopiesReplaceNoOtherFile(t *testing.T) {
	t.Parallel()
	options := slimProject(t)
	writeFile(t, filepath.Join(options.Dir, slimFile), "package slim\n")
	if _, err := Run(t.Context(), options); err == nil || err.Error() != "output: "+slimFile+": is not a generated file; move it away, or choose another output folder" {
		t.Errorf("got error %v", err)
	}
}

// Methods that there are already are not written again.
func TestOnlyMissingMethodsAreWritten(t *testing.T) {
	t.Parallel()
	options := slimProject(t)
	methods := func() string {
		t.Helper()
		mustRun(t, options)
		content, err := os.ReadFile(filepath.Join(options.Dir, slimFile))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, method := range regexp.MustCompile(`(?m)^func \(in \*(\w+)\) (DeepCopy\w*)\(`).FindAllStringSubmatch(string(content), -1) {
			found = append(found, method[1]+"."+method[2])
		}
		slices.Sort(found)
		return strings.Join(found, " ")
	}
	if got, want := methods(), "Part.DeepCopy Part.DeepCopyInto Summary.DeepCopy Summary.DeepCopyInto Summary.DeepCopyObject"; got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
	own := filepath.Join(options.Dir, "slim/zz_generated.deepcopy.go")
	writeFile(t, own, "package slim\n\nfunc (in *Part) DeepCopyInto(out *Part) {}\n\nfunc (in *Part) DeepCopy() *Part { return in }\n\nfunc (in *Summary) DeepCopy() *Summary { return in }\n")
	if got, want := methods(), "Summary.DeepCopyInto Summary.DeepCopyObject"; got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
}

// The file goes when all methods are written by hand, for it would declare them again. A run that can't
// work them out, of a type that it excludes, leaves it alone.
func TestDeepCopiesGoWithTheirLastMethod(t *testing.T) {
	t.Parallel()
	options := slimProject(t)
	mustRun(t, options)
	types := filepath.Join(options.Dir, "slim/types.go")
	writeFile(t, types, strings.Replace(slimOrder, "Names []string", "Names func()", 1))
	excluding := options
	excluding.Patterns, excluding.Exclude = []string{"./api/v1", "./slim"}, []string{"Summary"}
	if got := changesOf(mustRun(t, excluding), slimFile); len(got) > 0 {
		t.Errorf("not worked out: %v", got)
	}
	writeFile(t, types, slimOrder+"\nfunc (in *Part) DeepCopyInto(out *Part) {}\n\nfunc (in *Part) DeepCopy() *Part { return in }\n\n"+
		"func (in *Summary) DeepCopyInto(out *Summary) {}\n\nfunc (in *Summary) DeepCopy() *Summary { return in }\n\nfunc (in *Summary) DeepCopyObject() runtime.Object { return in }\n")
	if got := changesOf(mustRun(t, options), slimFile); !slices.Equal(got, []string{output.Removed}) {
		t.Errorf("written by hand: %v", got)
	}
}

// Informers of a slim type go with it, also if it is not called as the kind is.
func TestStaleInformerOfSlimType(t *testing.T) {
	t.Parallel()
	options := slimProject(t)
	mustRun(t, options)
	invoice := strings.NewReplacer("Order", "Invoice", "Summary", "Bill").Replace(slimOrder)
	full := strings.ReplaceAll(orderType, "Order", "Invoice")
	writeFile(t, filepath.Join(options.Dir, "api/v1/invoice.go"), full)
	writeFile(t, filepath.Join(options.Dir, "slim/types.go"), invoice)
	result := mustRun(t, options)
	for _, name := range []string{"informers", "listers"} {
		if got := changesOf(result, "pkg/generated/"+name+"/shop/v1/order.go"); !slices.Equal(got, []string{output.Removed}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if len(result.Warnings) > 0 {
		t.Error(result.Warnings)
	}
}
