package field_test

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

var (
	realTime = flag.Bool("real", false, "run in real time, over TCP")
	duration = flag.Duration("duration", 2*time.Minute, "how long a condition lasts at the most in real time")
)

// families are all rows.
var families = []struct {
	title string
	rows  []row
}{
	{"Watches that are cut", cutRows},
	{"Server outages", outageRows},
	{"Answers of something else", impostorRows},
	{"Proxies that change what passes", proxyRows},
	{"Connections that carry nothing", silentRows},
	{"Servers under load", loadRows},
}

func TestMain(m *testing.M) {
	flag.Parse()
	if *realTime { // and rows wait for most of it
		if err := flag.Set("test.parallel", "500"); err != nil {
			panic(err)
		}
	}
	klog.SetLogger(klog.Logger{}) // which says nothing
	// The other default handler sleeps by the real clock, 26 years in a bubble.
	utilruntime.ErrorHandlers = slices.Clip(utilruntime.ErrorHandlers[:1])
	m.Run()
}

func TestField(t *testing.T) {
	useWatchLists(t)
	if *update {
		t.Cleanup(func() { writeDocument(t) })
	}
	for _, family := range families {
		for _, r := range family.rows {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				for _, i := range compared {
					t.Run(i.Name, func(t *testing.T) {
						t.Parallel()
						r.test(t, i)
					})
				}
			})
		}
	}
}

func (r row) test(t *testing.T, i implementation) {
	got, want := r.measure(t, i), r.bounds(i)
	t.Log(got)
	note(r, i, got)
	if *realTime && i.Name == clientGo.Name {
		return
	}
	for _, what := range want.exceeded(got) {
		t.Error(what)
	}
	if got.never && !want.never {
		t.Log(got.differs)
	}
	if i.Name != clientGo.Name && !strings.Contains(got.status, want.says) {
		t.Errorf("status: got %s, want it to say %s", got.status, want.says)
	}
}
