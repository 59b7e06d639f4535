package ecosystem

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

// server serves all tests of the package; each uses objects of its own.
var server *apiserver.Server

var crdFolder = filepath.Join("..", "..", "testdata", "kubebuilder", "config", "crd", "bases")

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	var err error
	if server, err = apiserver.Start(ctx, apiserver.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Stop()
	if err := server.InstallCRDs(ctx, crdFolder, "testdata"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// timeout limits each wait, which turns a hang into a failure, also on a machine that is busy with
// other programs.
const timeout = 5 * time.Minute

// eventually asks until the condition holds. If it does not in time, the test fails
// with the last answer.
func eventually(t *testing.T, condition func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, timeout, true, func(ctx context.Context) (bool, error) {
		last = condition(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("waited in vain: %v", last)
	}
}

// start runs something until the test ends or stop is called, and fails the
// test if it returns an error.
func start(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		done <- run(ctx)
		close(done)
	}()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		time.Sleep(queuesEnd) // a bubble waits for all goroutines
	}
	t.Cleanup(stop)
	return stop
}
