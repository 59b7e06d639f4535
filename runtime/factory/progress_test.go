package factory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

func TestProgress(t *testing.T) {
	synced := Status{Name: "a", Phase: core.PhaseWatching, Synced: true, Objects: 100, Received: 90}
	listing := Status{Name: "b", Phase: core.PhaseListing, Received: 50, Expected: 300}
	unknown := Status{Name: "c", Phase: core.PhaseStreaming, Received: 7}
	absent := Status{Name: "d", Phase: core.PhaseAbsent}
	refused := Status{Name: "e", Phase: core.PhaseBackingOff}
	foreign := Status{Name: "f", Phase: core.PhaseListing, Objects: 5}
	behind := synced
	behind.Handlers = []core.HandlerStatus{{Backlog: 30}, {Backlog: 4}}
	for _, test := range []struct {
		name     string
		statuses []Status
		line     string
		log      string
	}{
		{"none", nil, "[....................] 0 of 0 informers, 0 objects, 12s",
			"[synced 0 informers 0 objects 0 elapsed 12.6s]"},
		{"not started", []Status{{Name: "x"}, synced}, "[####################] 1 of 1 informers, 100 objects, 12s",
			"[synced 1 informers 1 objects 100 elapsed 12.6s]"},
		{"total known", []Status{synced, listing}, "[#######.............] 1 of 2 informers, 150 of about 400 objects, 12s, b listing",
			"[synced 1 informers 2 objects 150 expectedObjects 400 waitingFor [b listing] elapsed 12.6s]"},
		{"total unknown", []Status{synced, listing, unknown}, "[######..............] 1 of 3 informers, 157 objects, 12s, b listing",
			"[synced 1 informers 3 objects 157 expectedObjects unknown waitingFor [b listing c waiting for the bookmark that closes the initial events] elapsed 12.6s]"},
		{"nothing will come of one", []Status{synced, absent}, "[###################.] 1 of 2 informers, 100 of about 100 objects, 12s, d waiting for the resource to be installed",
			"[synced 1 informers 2 objects 100 expectedObjects 100 waitingFor [d waiting for the resource to be installed] elapsed 12.6s]"},
		{"one is refused", []Status{refused}, "[....................] 0 of 1 informers, 0 objects, 12s, e backing off",
			"[synced 0 informers 1 objects 0 expectedObjects unknown waitingFor [e backing off] elapsed 12.6s]"},
		{"of client-go", []Status{foreign}, "[....................] 0 of 1 informers, 5 objects, 12s, f listing",
			"[synced 0 informers 1 objects 5 expectedObjects unknown waitingFor [f listing] elapsed 12.6s]"},
		{"more than expected", []Status{{Name: "b", Phase: core.PhaseListing, Received: 400, Expected: 300}}, "[###################.] 0 of 1 informers, 400 of about 400 objects, 12s, b listing",
			"[synced 0 informers 1 objects 400 expectedObjects 400 waitingFor [b listing] elapsed 12.6s]"},
		{"handlers are behind", []Status{behind}, "[####################] 1 of 1 informers, 100 objects, 12s, 34 events wait for handlers",
			"[synced 1 informers 1 objects 100 eventsForHandlers 34 elapsed 12.6s]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := progressOf(test.statuses)
			if got := p.line(12600*time.Millisecond, 200); got != test.line {
				t.Errorf("line %s\nwant %s", got, test.line)
			}
			if got := fmt.Sprint(p.keysAndValues(12600 * time.Millisecond)); got != test.log {
				t.Errorf("log %s\nwant %s", got, test.log)
			}
		})
	}
	if got := progressOf([]Status{listing}).line(0, 30); got != "[###.................] 0 of 1" {
		t.Errorf("cut: %q", got)
	}
	if got := progressOf([]Status{{Name: "\x1b[2J\xff\n", Phase: core.PhaseListing}}).line(0, 200); strings.ContainsAny(got, "\x1b\n") || !utf8.ValidString(got) {
		t.Errorf("a name controls the terminal: %q", got)
	}
	if kv := progressOf(make8(refused)).keysAndValues(0); len(kv[9].([]string)) != maxWaiting {
		t.Errorf("a log line names %v", kv)
	}
}

func make8(s Status) []Status { return []Status{s, s, s, s, s, s, s, s} }

// growing is a factory whose informer is in sync after ten objects, one a second.
type growing struct{ began time.Time }

func (g growing) Status() []Status {
	objects := int(time.Since(g.began) / time.Second)
	if objects >= 10 {
		return []Status{{Name: "pods", Phase: core.PhaseWatching, Synced: true, Objects: 10}}
	}
	return []Status{{Name: "pods", Phase: core.PhaseListing, Received: objects, Expected: 10}}
}

func waitFor(d time.Duration, err error) func(context.Context) error {
	return func(context.Context) error {
		time.Sleep(d)
		return err
	}
}

// logLine has the second of a log line, its message and the number of objects.
var logLine = regexp.MustCompile(`(?m)^I\d+ \d+:\d+:(\d+)\.0+ .*\] "([^"]+)" .*objects=(\d+)`)

// A log gets a line now and then, and one at the end if there was one before.
func TestShowProgressInALog(t *testing.T) {
	failed := errors.New("not in sync")
	for _, test := range []struct {
		name string
		wait time.Duration
		err  error
		want []string
	}{
		{"quick", 4 * time.Second, nil, nil},
		{"slow", 26 * time.Second, nil, []string{
			"05 Waiting for informers 5", "15 Waiting for informers 10", "25 Waiting for informers 10", "26 Informers are in sync 10",
		}},
		{"fails", 7 * time.Second, failed, []string{"05 Waiting for informers 5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log, out bytes.Buffer
				ctx := klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))))
				if err := ShowProgress(ctx, &out, growing{time.Now()}, waitFor(test.wait, test.err)); !errors.Is(err, test.err) {
					t.Errorf("error %v", err)
				}
				var got []string
				for _, line := range logLine.FindAllStringSubmatch(log.String(), -1) {
					got = append(got, fmt.Sprintf("%s %s %s", line[1], line[2], line[3]))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if out.Len() > 0 {
					t.Errorf("written: %q", &out)
				}
			})
		})
	}
}

// A terminal has one line, which a log line overwrites, and at the end a summary.
func TestShowProgressOnATerminal(t *testing.T) {
	for _, test := range []struct {
		name string
		wait time.Duration
		err  error
		want string
	}{
		{"quick", 200 * time.Millisecond, nil, ""},
		{"slow", 600 * time.Millisecond, nil,
			"\r[....................] 0 of 1 informers, 0 of about 10 objects, 0s, pods listing\x1b[K\r" +
				"\r[....................] 0 of 1 informers, 0 of about 10 objects, 0s, pods listing\x1b[K\r" +
				"\r\x1b[K0 of 1 informers in sync, 0 objects, 600ms\n"},
		{"fails", 400 * time.Millisecond, io.EOF,
			"\r[....................] 0 of 1 informers, 0 of about 10 objects, 0s, pods listing\x1b[K\r\r\x1b[K"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				err := showWhile(t.Context(), growing{time.Now()}.Status, waitFor(test.wait, test.err), &barReporter{&out, 100}, firstDraw, drawInterval)
				if !errors.Is(err, test.err) {
					t.Errorf("error %v", err)
				}
				if diff := cmp.Diff(test.want, out.String()); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		})
	}
}

// The goroutine ends also if wait panics, and what was drawn is erased.
func TestShowProgressOfAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		defer func() {
			if recover() == nil || !strings.HasSuffix(out.String(), "\r\x1b[K") {
				t.Errorf("written: %q", &out)
			}
		}()
		_ = showWhile(t.Context(), growing{time.Now()}.Status, func(context.Context) error {
			time.Sleep(time.Second)
			panic("no")
		}, &barReporter{&out, 100}, firstDraw, drawInterval)
	})
}

func TestTerminalWidth(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, out := range map[string]io.Writer{"a buffer": &bytes.Buffer{}, "a file": file, "no file": (*os.File)(nil), "nil": nil} {
		if width, ok := terminalWidth(out); ok {
			t.Errorf("%s is a terminal with %d columns", name, width)
		}
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	defer terminal.Close()
	t.Setenv("TERM", "xterm")
	if width, ok := terminalWidth(terminal); !ok || width <= 0 {
		t.Errorf("a terminal: %d, %v", width, ok)
	}
	t.Setenv("TERM", "dumb")
	if _, ok := terminalWidth(terminal); ok {
		t.Error("a terminal that can't erase a line is used")
	}
}
