//go:build unix

package generators

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		runAsNobody(t)
		return
	}
	options := project(t)
	dir := filepath.Join(options.Dir, "pkg/generated/listers/shop/v1")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) }) // or it can't be removed
	before := snapshot(t, options.Dir)
	_, err := Run(t.Context(), options)
	want := "output: pkg/generated/listers/shop/v1/expansion_generated.go: can't be written: permission denied; nothing was written"
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	if diff := cmp.Diff(before, snapshot(t, options.Dir)); diff != "" {
		t.Error(diff)
	}
}

// runAsNobody runs a test in a process without the rights of root, who may write
// everywhere.
func runAsNobody(t *testing.T) {
	t.Helper()
	binary, err := os.Open("/proc/self/exe") // its folder is root's alone
	if err != nil {
		t.Skipf("running as root, and without /proc: %v", err)
	}
	defer binary.Close()
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), "/proc/self/fd/3", "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.ExtraFiles = []*os.File{binary}
	cmd.Dir = os.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
}

// Names that the go command ignores are ignored: editors leave links that lead
// nowhere. What is no regular file is not read, since that may never end.
func TestFilesThatAreNoSources(t *testing.T) {
	t.Parallel()
	options := project(t)
	dir := filepath.Join(options.Dir, "api/v1")
	if err := os.Symlink("nobody@nowhere.1:1", filepath.Join(dir, ".#types.go")); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.go"), 0o644); err != nil {
		t.Skip(err)
	}
	generates(t, options, "Order api/v1/types.go:7:6")
}
