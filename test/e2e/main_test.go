package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

// server serves all tests of the package. A test uses it through a
// playground, which leaves nothing in it.
var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	var err error
	if os.Getenv(measuring) != "" {
		if err := measured(os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	if server, err = apiserver.Start(ctx, apiserver.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Stop()
	if err := server.InstallCRDs(ctx, crdFolders...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// playground returns the configuration of a client of the common server and a
// client that writes. Every object that the test leaves of the kinds is
// deleted behind it.
func playground(t *testing.T, kinds ...kind) (*rest.Config, dynamic.Interface) {
	t.Helper()
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wipe(context.Background(), client, kinds); err != nil {
			t.Error(err)
		}
	})
	return server.Config(), client
}
