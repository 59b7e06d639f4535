package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// comparison holds the results of the runs of both builds.
type comparison struct {
	kubernetes, libraries string // versions
	objects               int
	loads                 []string // load average before each run
	stock, ours           []*result
}

func (c *comparison) add(build string, r *result) {
	if build == stock {
		c.stock = append(c.stock, r)
	} else {
		c.ours = append(c.ours, r)
	}
}

// write writes the comparison as two tables in Markdown.
func (c comparison) write(w io.Writer) {
	fmt.Fprintf(w, "\n## Milestones\n\nReached: %d of %d with the stock build, %d of %d with ours, in all rounds (%d). Seconds, the median of the rounds.\n\n",
		reached(c.stock), total(c.stock), reached(c.ours), total(c.ours), max(len(c.stock), len(c.ours)))
	fmt.Fprint(w, "| milestone | stock | ours |\n|---|--:|--:|\n")
	for _, name := range c.milestoneNames() {
		fmt.Fprintf(w, "| %s | %s | %s |\n", name, timeOf(c.stock, name), timeOf(c.ours, name))
	}
	for _, program := range []string{controllerManager, scheduler} {
		fmt.Fprintf(w, "\n## %s\n\nThe median of the rounds.\n\n| | stock | ours | ratio |\n|---|--:|--:|--:|\n", program)
		for _, f := range c.figureNames(program) {
			theirs, ours := valuesOf(c.stock, f), valuesOf(c.ours, f)
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", f.name, quantity(theirs, f.unit), quantity(ours, f.unit), ratio(theirs, ours))
		}
	}
}

// writeDocs writes the page with the comparison.
func (c comparison) writeDocs(file string) error {
	var page strings.Builder
	fmt.Fprintf(&page, `# kube-controller-manager and kube-scheduler on generated informers

<!-- Written by test/kubernetes. -->

kube-controller-manager and kube-scheduler %s, built twice from the same source and the
same k8s.io/client-go %s: as they are ("stock"), and with client-go's packages informers
and listers replaced by what informer-gen writes for k8s.io/api ("ours"). Both are put
through the same script, beside etcd and kube-apiserver on one machine, with %d ConfigMaps
and as many Secrets, %d nodes and up to %d pods, while the API server is killed and
started again. The machine has %d processors; its load average before each run, stock
and ours in turn, was %s.

    make kubernetes                                                    # one round
    cd test/kubernetes && go run . -rounds %d -docs ../../docs/results/kubernetes.md   # this page

[test/kubernetes](../../test/kubernetes/README.md) says what is measured and how to read it.
`, c.kubernetes, c.libraries, c.objects, nodes, webs*15, runtime.NumCPU(), strings.Join(c.loads, ", "), len(c.stock))
	c.write(&page)
	return os.WriteFile(file, []byte(page.String()), 0o644)
}

// missed says whether a build has missed a milestone.
func (c comparison) missed() bool {
	return reached(c.stock) < total(c.stock) || reached(c.ours) < total(c.ours)
}

func reached(results []*result) (n int) {
	for _, r := range results {
		for _, m := range r.milestones {
			if m.err == nil {
				n++
			}
		}
	}
	return n
}

func total(results []*result) (n int) {
	for _, r := range results {
		n += len(r.milestones)
	}
	return n
}

// milestoneNames returns the names of the milestones of all runs, in order.
func (c comparison) milestoneNames() (names []string) {
	for _, r := range slices.Concat(c.stock, c.ours) {
		for _, m := range r.milestones {
			if !slices.Contains(names, m.name) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

// timeOf returns the median time of a milestone, and how often it was missed.
func timeOf(results []*result, name string) string {
	var times []float64
	missed := 0
	for _, r := range results {
		for _, m := range r.milestones {
			switch {
			case m.name != name:
			case m.err != nil:
				missed++
			default:
				times = append(times, m.after.Seconds())
			}
		}
	}
	switch {
	case len(times) == 0 && missed == 0:
		return ""
	case len(times) == 0:
		return "not reached"
	case missed > 0:
		return fmt.Sprintf("%.1f (not reached %d×)", median(times), missed)
	default:
		return fmt.Sprintf("%.1f", median(times))
	}
}

// figureNames returns the names of a program's figures in all runs, in order, without values.
func (c comparison) figureNames(program string) (names []figure) {
	for _, r := range slices.Concat(c.stock, c.ours) {
		for _, f := range r.figures {
			f.value = 0
			if f.program == program && !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	return names
}

func valuesOf(results []*result, of figure) (values []float64) {
	for _, r := range results {
		for _, f := range r.figures {
			if f.program == of.program && f.name == of.name {
				values = append(values, f.value)
			}
		}
	}
	return values
}

// median needs at least one value.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

// quantity writes the median, if there is one.
func quantity(values []float64, unit string) string {
	if len(values) == 0 {
		return ""
	}
	switch value := median(values); unit {
	case "s":
		return fmt.Sprintf("%.2f s", value)
	case "MB":
		return fmt.Sprintf("%.1f MB", value)
	default:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
}

// ratio writes ours per theirs, if that is a number.
func ratio(theirs, ours []float64) string {
	if len(theirs) == 0 || len(ours) == 0 || median(theirs) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", median(ours)/median(theirs))
}
