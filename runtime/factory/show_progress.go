package factory

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
	"k8s.io/klog/v2"
)

const (
	// A terminal shows the progress after firstDraw, and again every drawInterval.
	firstDraw    = 300 * time.Millisecond
	drawInterval = 200 * time.Millisecond
	// A log has a line after firstLine, and again every lineInterval.
	firstLine    = 5 * time.Second
	lineInterval = 10 * time.Second
	// lineWidth is the width of a terminal that does not say.
	lineWidth = 80
)

// ShowProgress calls wait, and shows meanwhile how the first sync of the factory gets on: how
// many of the informers that were started are in sync, how many objects have come so far, and
// of about how many if the server says, which it does in lists of several pages only.
//
//	if err := factory.ShowProgress(ctx, os.Stderr, f, f.WaitForSyncOrStuck); err != nil {
//		return err
//	}
//
// On a terminal that is a line with a bar, which is drawn again several times a second and
// replaced with a summary at the end. Where out is no terminal, the logger of ctx gets a line
// after five seconds and then every ten, and nothing is written to out. A sync that is quicker
// shows nothing.
//
// It returns what wait returns, which it calls with ctx in the goroutine of the caller; its
// own goroutine has ended then.
func ShowProgress(ctx context.Context, out io.Writer, factory interface{ Status() []Status }, wait func(context.Context) error) error {
	if width, ok := terminalWidth(out); ok {
		return showWhile(ctx, factory.Status, wait, &barReporter{out: out, width: width}, firstDraw, drawInterval)
	}
	return showWhile(ctx, factory.Status, wait, logReporter{klog.FromContext(ctx)}, firstLine, lineInterval)
}

// terminalWidth returns the number of columns of a terminal, or false if out is none.
func terminalWidth(out io.Writer) (width int, ok bool) {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, false
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		return width, true
	}
	return lineWidth, true
}

// progressReporter shows progress somewhere.
type progressReporter interface {
	// report shows how far the sync is.
	report(p progress, elapsed time.Duration)
	// end is called once after the last report, if there was one, with whether all went well.
	end(p progress, elapsed time.Duration, ok bool)
}

// showWhile reports while wait runs: first after a while, and then at each interval.
func showWhile(ctx context.Context, statuses func() []Status, wait func(context.Context) error, reporter progressReporter, first, interval time.Duration) (err error) {
	began := time.Now()
	over, ended := make(chan struct{}), make(chan struct{}) // closed by the caller, and by the goroutine
	reported := false
	go func() {
		defer close(ended)
		timer := time.NewTimer(first)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
			case <-over:
				return
			}
			reported = true
			reporter.report(progressOf(statuses()), time.Since(began))
			timer.Reset(interval)
		}
	}()
	returned := false
	defer func() {
		close(over)
		<-ended
		if reported {
			reporter.end(progressOf(statuses()), time.Since(began), returned && err == nil)
		}
	}()
	err = wait(ctx)
	returned = true
	return err
}

// barReporter draws a line on a terminal.
type barReporter struct {
	out   io.Writer
	width int
}

// The cursor stays at the beginning of the line, so that a log line overwrites it.
func (r *barReporter) report(p progress, elapsed time.Duration) {
	fmt.Fprintf(r.out, "\r%s\x1b[K\r", p.line(elapsed, r.width))
}

func (r *barReporter) end(p progress, elapsed time.Duration, ok bool) {
	fmt.Fprint(r.out, "\r\x1b[K")
	if ok {
		fmt.Fprintf(r.out, "%d of %d informers in sync, %d objects, %v\n", p.synced, p.informers, p.objects, elapsed.Round(100*time.Millisecond))
	}
}

// logReporter writes log lines.
type logReporter struct{ logger klog.Logger }

func (r logReporter) report(p progress, elapsed time.Duration) {
	r.logger.Info("Waiting for informers", p.keysAndValues(elapsed)...)
}

func (r logReporter) end(p progress, elapsed time.Duration, ok bool) {
	if ok {
		r.logger.Info("Informers are in sync", p.keysAndValues(elapsed)...)
	}
}
