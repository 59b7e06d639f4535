package main

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	build := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{build("v0.1.0"), "informer-gen v0.1.0 go1.26.8"},
		{build("v1.2.3-rc.1"), "informer-gen v1.2.3-rc.1 go1.26.8"},
		{build("v0.1.0", "vcs.revision", "31b2fc8"), "informer-gen v0.1.0 go1.26.8"},
		{build("(devel)"), "informer-gen " + release + " (local build) go1.26.8"},
		{build("v0.0.0-20261122184830-31b2fc8b2d1a"), "informer-gen " + release + " (v0.0.0-20261122184830-31b2fc8b2d1a) go1.26.8"},
		{build("v0.1.1-0.20261122184830-31b2fc8b2d1a+dirty", "vcs", "git", "vcs.revision", "31b2fc8b", "vcs.time", "2026-11-22T18:48:30Z", "vcs.modified", "true"),
			"informer-gen " + release + " (commit 31b2fc8b of 2026-11-22T18:48:30Z, with changes) go1.26.8"},
		{build("(devel)", "vcs.revision", "31b2fc8b", "vcs.modified", "false"), "informer-gen " + release + " (commit 31b2fc8b) go1.26.8"},
		{&debug.BuildInfo{}, "informer-gen " + release + " (local build)"},
	} {
		if got := describe(c.info); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.info.Main, got, c.want)
		}
	}
}

// "make build" makes the same bytes of the same source, in whatever folder and with whatever GOFLAGS.
func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the command twice")
	}
	var sums [2][sha256.Size]byte
	for i := range sums {
		dir := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "checkout")
		for _, part := range []string{"cmd", "generators", "internal/suggest", "templates"} {
			if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("../..", part))); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"go.mod", "go.sum", "Makefile"} {
			content, err := os.ReadFile(filepath.Join("../..", name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.CommandContext(t.Context(), "make", "-C", dir, "build")
		command.Env = append(os.Environ(), "GOFLAGS="+[]string{"", "-ldflags=-s"}[i])
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("make build: %v\n%s", err, output)
		}
		content, err := os.ReadFile(filepath.Join(dir, "bin/informer-gen"))
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(content)
	}
	if sums[0] != sums[1] {
		t.Errorf("two folders, two results: %x and %x", sums[0], sums[1])
	}
}

// The image is built from all files of the commit: --version would say that it has changes
// otherwise.
func TestImageHasAllFiles(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("../../.git"); err != nil {
		t.Skip("no git repository")
	}
	command := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--ignored", "--exclude-from=.dockerignore")
	command.Dir = "../.."
	if output, err := command.CombinedOutput(); err != nil || len(output) > 0 {
		t.Errorf(".dockerignore leaves out what git has: %v\n%s", err, output)
	}
}
