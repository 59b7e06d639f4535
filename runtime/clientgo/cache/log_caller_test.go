package cache

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// logBuffer is an io.Writer for many goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// textLogger returns a logger that writes the file and line of its caller.
func textLogger() (klog.Logger, *logBuffer) {
	b := &logBuffer{}
	return textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(b))), b
}

// here returns the file and line that is after lines below the caller's.
func here(after int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d]", file[strings.LastIndexByte(file, '/')+1:], line+after)
}

// The line that a panic is logged with names the statement that panicked, and
// nothing between message and panic; the next one names the handler.
func TestPanicLogNamesHandler(t *testing.T) {
	outlivePanics(t)
	synctest.Test(t, func(t *testing.T) {
		logger, logged := textLogger()
		_, lw := podAPI("a")
		informer := NewSharedInformer(lw, &v1.Pod{}, 0)
		var want string
		handler := ResourceEventHandlerFuncs{AddFunc: func(any) {
			want = here(1)
			panic("no room")
		}}
		if _, err := informer.AddEventHandlerWithOptions(handler, HandlerOptions{Logger: &logger}); err != nil {
			t.Fatal(err)
		}
		defer run(t, informer)()
		for _, want := range []string{
			want + ` "Observed a panic" panic="no room"`,
			`"Handler panicked" handler="` + handlerName(handler),
		} {
			if !strings.Contains(logged.String(), want) {
				t.Errorf("%s is not in the log:\n%s", want, logged)
			}
		}
	})
}

// What WaitFor logs names the place where it is called.
func TestWaitForLogNamesCaller(t *testing.T) {
	logger, logged := textLogger()
	done := make(chan struct{})
	close(done)
	want := here(1)
	if !WaitFor(klog.NewContext(t.Context(), logger), "caches", doneChecker{name: "pods", done: done}) {
		t.Error("did not wait")
	}
	for _, message := range []string{`"Waiting"`, `"Done waiting"`} {
		if !strings.Contains(logged.String(), want+" "+message) {
			t.Errorf("%s %s is not in the log:\n%s", want, message, logged)
		}
	}
}
