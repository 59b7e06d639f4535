package faults_test

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2"
)

// families are all rows.
var families = []struct {
	title string
	rows  []row
}{
	{"Lists", listRows},
	{"Watch-lists", watchListRows},
	{"Watches", watchRows},
	{"The server", serverRows},
	{"The user's functions", userRows},
}

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{}) // which says nothing
	m.Run()
}

func TestFaults(t *testing.T) {
	for _, family := range families {
		for _, r := range family.rows {
			t.Run(r.name, func(t *testing.T) {
				for _, i := range compared {
					t.Run(i.Name, func(t *testing.T) { r.test(t, i) })
				}
			})
		}
	}
}

// How many requests an informer of the core makes in a minute, at the most, whatever
// happens: patient without and patientlyRetried with those that client-go repeats by
// itself.
const (
	patient          = 75
	patientlyRetried = 75
)

// crashing is the variable that tells a process to crash.
const crashing = "FAULTS_CRASHING"

func (r row) test(t *testing.T, i implementation) {
	want := r.outcome(i)
	if want.verdict == crashes && os.Getenv(crashing) == "" {
		crash(t)
		return
	}
	got := r.measure(t, i)
	t.Log(got)
	// Streaming, the requests are the client's, and what comes of the responses is not.
	if !want.holds(got) && (i.Name != streaming.Name || !r.ours.holds(got)) {
		t.Errorf("got %v\nwant %v\n%s", got, want, got.differs)
	}
	if i.Name == clientGo.Name {
		return
	}
	if says := r.status(i); !strings.Contains(got.status, says) && (i.Name != streaming.Name || !strings.Contains(got.status, r.says)) {
		t.Errorf("status: got %s, want it to say %s", got.status, says)
	}
	if i.Name == typed.Name && got.busiest > patient || got.busiest > patientlyRetried {
		t.Errorf("%d requests in a minute", got.busiest)
	}
}

// crash runs the test in another process, which has to end with a panic.
func crash(t *testing.T) {
	var pattern []string
	for name := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(name)+"$")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+strings.Join(pattern, "/"))
	cmd.Env = append(os.Environ(), crashing+"=true")
	out, err := cmd.CombinedOutput()
	if err == nil || !regexp.MustCompile(`(?m)^panic: `).Match(out) {
		t.Errorf("process ended with %v, want a panic; output:\n%s", err, out)
	}
}

func (r row) outcome(i implementation) outcome {
	switch {
	case i.Name == clientGo.Name:
		return r.clientGo
	case i.Name != typed.Name && r.layer != nil:
		return *r.layer
	default:
		return r.ours
	}
}

// status returns the text that the status of an informer of the core must have.
func (r row) status(i implementation) string {
	if i.Name != typed.Name && r.layerSays != "" {
		return r.layerSays
	}
	return r.says
}

var update = flag.Bool("update", false, "write FAULTS.md")

func TestDocument(t *testing.T) {
	const file = "FAULTS.md"
	want := document()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not up to date; go test -run TestDocument -update writes it:\n%s", file, diff)
	}
}
