package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	got, err := parseStat("42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15")
	if want := 2 * time.Second; err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := parseStat("42 (x) S 1"); err == nil {
		t.Errorf("short: got %v, want an error", got)
	}
}

func TestParseStatus(t *testing.T) {
	now, peak, err := parseStatus("Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n")
	if err != nil || now != 1<<20 || peak != 2<<20 {
		t.Errorf("got %d, %d, %v; want 1 MiB and 2 MiB", now, peak, err)
	}
	if _, _, err := parseStatus("Name:\tx\n"); err == nil {
		t.Error("without memory: got no error")
	}
}

func TestSumMetric(t *testing.T) {
	text := strings.Join([]string{
		"# HELP requests_total of a client",
		`requests_total{code="200",method="GET"} 3`,
		`requests_total{code="<error>",method="GET"} 4`,
		`requests_total{code="<error>",method="PUT"} 5`,
		`requests_total_more{code="<error>"} 100`,
		"plain 7",
	}, "\n")
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"requests_total", nil, 12},
		{"requests_total", []string{`code="<error>"`}, 9},
		{"plain", nil, 7},
		{"absent", nil, 0},
	} {
		if got, err := sumMetric(text, c.name, c.labels); err != nil || got != c.want {
			t.Errorf("%s %v: got %v, %v; want %v", c.name, c.labels, got, err, c.want)
		}
	}
}

func TestCountGoroutines(t *testing.T) {
	text := "goroutine 1 [running]:\nmain.main()\n\ngoroutine 2 [select]:\nexample.com/a.f()\n\ngoroutine 3 [select]:\nexample.com/a.g()\nexample.com/b.h()\n"
	total, with := countGoroutines(text, []string{"example.com/a", "example.com/b"})
	if total != 3 || !slices.Equal(with, []int{2, 1}) {
		t.Errorf("got %d, %v; want 3, [2 1]", total, with)
	}
}

func TestParseAudit(t *testing.T) {
	log := strings.Join([]string{
		`{"auditID":"1","verb":"watch","requestURI":"/api/v1/pods?sendInitialEvents=true&watch=true","user":{"username":"system:kube-scheduler"}}`,
		`{"auditID":"1","verb":"watch","requestURI":"/api/v1/pods?sendInitialEvents=true&watch=true","user":{"username":"system:kube-scheduler"}}`,
		`{"auditID":"2","verb":"watch","requestURI":"/api/v1/pods?watch=true","user":{"username":"system:serviceaccount:kube-system:job-controller"}}`,
		`{"auditID":"3","verb":"upd`,
		`{"auditID":"4","verb":"update","requestURI":"/api/v1/namespaces/work/pods/x","user":{"username":"system:kube-controller-manager"}}`,
	}, "\n")
	requests, err := parseAudit(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range requests {
		got = append(got, r.program()+" "+r.kind())
	}
	want := []string{scheduler + " watch-list", controllerManager + " watch", controllerManager + " update"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCountLines(t *testing.T) {
	text := strings.Join([]string{
		`E1122 04:00:00.000000     123 reflector.go:204] "Failed to watch"`,
		`E1122 04:00:00.000000     123 outage.go:132] "List or watch failed, trying again"`,
		`I1122 04:00:00.000000     123 gc_controller.go:261] "says reflector.go:204] too"`,
		"a line of a stack",
	}, "\n") + "\n"
	if got, want := countLines(text), (lines{all: 4, informers: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
