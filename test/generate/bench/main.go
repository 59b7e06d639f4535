// Command bench measures informer-gen beside code-generator's lister-gen and
// informer-gen, which together do the same, and prints a table.
//
//	go run ./generate/bench    in the module test
//
// Each is measured as a process, from its start to its end, with its peak of
// resident memory; the two take turns, and the table has medians. A second run
// finds what the first has written. With a cold build cache, GOCACHE is an empty
// directory: neither tool compiles anything then, but the go command, which both
// ask where packages are, has to read modules that it knows by heart otherwise.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

func main() {
	runs := flag.Int("runs", 5, "how often each is run")
	largest := flag.Int("types", 10000, "the largest number of API types to generate for")
	theirLargest := flag.Int("upstream-types", 1000, "the same for code-generator")
	flag.Parse()
	if err := bench(context.Background(), *runs, *largest, *theirLargest); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, runs, largest, theirLargest int) error {
	dir, err := os.MkdirTemp("", "bench-generate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &benchmark{dir: dir, runs: runs}
	if b.checkout, err = scratch.Dir(ctx, scratch.Runtime); err != nil {
		return err
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(os.Stderr, "medians of %d runs on %d cores, %s, %s; progress:\n", runs, runtime.GOMAXPROCS(0), runtime.Version(), time.Now().Format(time.DateOnly))
	fmt.Fprintln(table, "\tcode-generator\there\tratio\tgoal\t")
	for _, p := range projects(largest, theirLargest) {
		if err := b.project(ctx, p, table); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return table.Flush()
}

// benchmark has the tools.
type benchmark struct {
	dir, checkout string
	runs          int
}

func (b *benchmark) theirs(name string) string { return filepath.Join(b.dir, "theirs", name) }

func (b *benchmark) build(ctx context.Context) error {
	for folder, tools := range map[string][]string{
		"theirs": {scratch.UpstreamListerGen, scratch.UpstreamInformerGen},
		"ours":   {scratch.InformerGen},
	} {
		if err := scratch.Build(ctx, filepath.Join(b.dir, folder), tools...); err != nil {
			return err
		}
	}
	return nil
}

// project is input for the tools.
type project struct {
	name string
	// setup fills the directory of the module.
	setup func(dir, checkout string) error
	// inputs are its API packages, clientset the flags that name one, or none.
	inputs, clientset []string
	// theirsToo is whether code-generator can do it, in reasonable time.
	theirsToo bool
	// goal is what is promised of the first measurement.
	goal goal
	// firstOnly leaves out the cold build cache and the second run.
	firstOnly bool
}

// goal is a promise; zero is none.
type goal struct {
	ratio float64
	peak  int64
}

const sample = scratch.Runtime + "/testdata/samplecontroller/pkg/"

// projects are what is measured.
func projects(largest, theirLargest int) []project {
	all := []project{{
		name: "k8s.io/api", inputs: []string{"k8s.io/api/..."}, theirsToo: true, goal: goal{ratio: 20, peak: 40e6},
		clientset: []string{"--versioned-clientset-package", "k8s.io/client-go/kubernetes"},
		setup:     func(string, string) error { return nil },
	}, {
		name: "small CRD project, 2 types", inputs: []string{"./apis/..."}, theirsToo: true, goal: goal{ratio: 25},
		clientset: []string{"--versioned-clientset-package", sample + "clientset/versioned"},
		setup:     copyTestdata("samplecontroller/pkg/apis"),
	}, {
		name: "kubebuilder project, 3 types, no clientset", inputs: []string{"./apis/..."}, setup: copyTestdata("kubebuilder/api"),
	}}
	for types := 10; types <= largest; types *= 10 {
		all = append(all, project{
			name: fmt.Sprintf("%d types in packages of %d", types, min(types, typesPerPackage)), inputs: []string{"./apis/..."}, theirsToo: types <= theirLargest,
			clientset: []string{"--versioned-clientset-package", "example.com/bench/clientset"}, firstOnly: true,
			setup: func(dir, _ string) error { return writeAPI(dir, types) },
		})
	}
	return all
}

// copyTestdata copies API packages of the repository's testdata to apis.
func copyTestdata(folder string) func(dir, checkout string) error {
	return func(dir, checkout string) error {
		return os.CopyFS(filepath.Join(dir, "apis"), os.DirFS(filepath.Join(checkout, "testdata", filepath.FromSlash(folder))))
	}
}

// project measures one and adds its rows.
func (b *benchmark) project(ctx context.Context, p project, table *tabwriter.Writer) error {
	dir, err := os.MkdirTemp(b.dir, "project-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := scratch.Module(dir, b.checkout, "example.com/bench", "k8s.io/api v0.37.2", "k8s.io/apimachinery v0.37.2", "k8s.io/client-go v0.37.2"); err != nil {
		return err
	}
	// What the go command is to know by name.
	const imports = "package bench\n\nimport (\n\t_ \"k8s.io/client-go/kubernetes\"\n\t_ \"" + sample + "clientset/versioned\"\n)\n"
	if err := os.WriteFile(filepath.Join(dir, "bench.go"), []byte(imports), 0o644); err != nil {
		return err
	}
	if err := p.setup(dir, b.checkout); err != nil {
		return err
	}
	kinds := []measurement{{name: p.name, goal: p.goal}}
	if !p.firstOnly {
		kinds = append(kinds, measurement{name: "  cold build cache", cold: true}, measurement{name: "  second run", again: true})
	}
	for _, m := range kinds {
		fmt.Fprintln(os.Stderr, "  "+m.name)
		if err := b.measure(ctx, dir, p, &m); err != nil {
			return err
		}
		fmt.Fprintln(table, m.row())
	}
	return nil
}

// commands are those of either side, with output below its folder.
func (b *benchmark) commands(p project) (theirs, ours [][]string) {
	command := func(tool, out string, flags ...string) []string {
		return append(append([]string{tool, "--output-dir", out, "--output-pkg", "example.com/bench/" + out}, flags...), p.inputs...)
	}
	if p.theirsToo {
		theirs = [][]string{
			command(b.theirs("lister-gen"), "theirs/listers"),
			command(b.theirs("informer-gen"), "theirs/informers", append(p.clientset, "--listers-package", "example.com/bench/theirs/listers")...),
		}
	}
	ours = [][]string{command(filepath.Join(b.dir, "ours", "informer-gen"), "ours/informers", append(p.clientset, "--listers-package", "example.com/bench/ours/listers")...)}
	return theirs, ours
}

// measurement is a row of the table.
type measurement struct {
	name string
	goal goal
	// cold runs with an empty build cache, again on what the last run wrote.
	cold, again bool

	theirs, ours []cost
	// written is how many files runs of ours wrote that should not have.
	written int
}

// measure lets the two take turns.
func (b *benchmark) measure(ctx context.Context, dir string, p project, m *measurement) error {
	theirs, ours := b.commands(p)
	for range b.runs {
		for _, side := range []struct {
			folder   string
			commands [][]string
			costs    *[]cost
		}{{"theirs", theirs, &m.theirs}, {"ours", ours, &m.ours}} {
			if len(side.commands) == 0 {
				continue
			}
			out := filepath.Join(dir, side.folder)
			if !m.again {
				if err := os.RemoveAll(out); err != nil {
					return err
				}
			}
			before, err := modified(out)
			if err != nil {
				return err
			}
			c, err := runAll(ctx, dir, side.commands, m.cold)
			if err != nil {
				return err
			}
			*side.costs = append(*side.costs, c)
			if m.again && side.folder == "ours" {
				after, err := modified(out)
				if err != nil {
					return err
				}
				m.written += changed(before, after)
			}
		}
	}
	return nil
}

// modified are the files below a folder and when they were written.
func modified(folder string) (map[string]time.Time, error) {
	found := map[string]time.Time{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			found[path] = info.ModTime()
		}
		return err
	})
	return found, err
}

// changed counts the files that were written or removed.
func changed(before, after map[string]time.Time) int {
	n := 0
	for path, at := range after {
		if old, ok := before[path]; !ok || !old.Equal(at) {
			n++
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			n++
		}
	}
	return n
}

// row is a line of the table.
func (m *measurement) row() string {
	theirs, ours := median(m.theirs), median(m.ours)
	ratio := theirs.wall.Seconds() / ours.wall.Seconds()
	var goals string
	met := true
	if m.goal.ratio > 0 {
		goals = fmt.Sprintf("≥ %.0f×", m.goal.ratio)
		met = ratio >= m.goal.ratio
	}
	if m.goal.peak > 0 {
		goals += fmt.Sprintf(", ≤ %.0f MB", float64(m.goal.peak)/1e6)
		met = met && ours.peak <= m.goal.peak
	}
	if m.again {
		goals, met = "writes nothing", m.written == 0
	}
	verdict := ""
	switch {
	case goals != "" && met:
		verdict = "met"
	case goals != "":
		verdict = "NOT MET"
	}
	if len(m.theirs) == 0 {
		return fmt.Sprintf("%s\t\t%s\t\t%s\t%s", m.name, ours, goals, verdict)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%.0f×\t%s\t%s", m.name, theirs, ours, ratio, goals, verdict)
}

func (c cost) String() string {
	return fmt.Sprintf("%.3g s, %.0f MB", c.wall.Seconds(), float64(c.peak)/1e6)
}
