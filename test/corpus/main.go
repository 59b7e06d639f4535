// Command corpus runs informer-gen --list over public projects, and compares what
// it finds with what each project says itself: the CRDs in its module, or the
// informers that it publishes.
//
//	cd test && go run ./corpus                          # all projects: downloads some hundred megabytes
//	cd test && go run ./corpus -run cert-manager        # those whose module matches
//	cd test && go run ./corpus -docs ../docs/results/corpus.md  # writes the table
//
// Projects come from the Go module proxy, at the versions of the table in
// projects.go. What it refuses is left out, and said so.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

func main() {
	match := flag.String("run", "", "only projects whose module matches `regexp`")
	docs := flag.String("docs", "", "write the table to `file`")
	flag.Parse()
	if err := run(context.Background(), *match, *docs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, match, docs string) error {
	matches, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "corpus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if err := scratch.Build(ctx, bin, scratch.InformerGen); err != nil {
		return err
	}
	var results []result
	var problems []error
	for _, p := range projects {
		if !matches.MatchString(p.module) {
			continue
		}
		r, err := examine(ctx, filepath.Join(bin, "informer-gen"), p)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		r.print(os.Stdout)
		results = append(results, r)
	}
	if docs != "" {
		var page bytes.Buffer
		writePage(&page, results)
		problems = append(problems, os.WriteFile(docs, page.Bytes(), 0o644))
	}
	return errors.Join(problems...)
}

// examine runs the tool over a project.
func examine(ctx context.Context, tool string, p project) (result, error) {
	dir, refused := download(ctx, p.module+"@"+p.version)
	published := dir
	if p.published != "" && refused == "" {
		published, refused = download(ctx, p.published)
	}
	if refused != "" {
		return result{project: p, refused: refused}, nil
	}
	say, err := readTruth(p, published)
	if err != nil {
		return result{}, err
	}
	args := append([]string{"--list", "-o", "json"}, p.args...)
	if len(p.args) == 0 {
		args = append(args, "./...")
	}
	command := exec.CommandContext(ctx, tool, args...)
	command.Dir = dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	forgetPeak()
	started := time.Now()
	if err := command.Run(); err != nil {
		return result{}, fmt.Errorf("%s: %w\n%s", p.module, err, stderr.String())
	}
	took := time.Since(started)
	r, err := compare(p, stdout.Bytes(), say)
	r.seconds = took.Seconds()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.megabyt = float64(usage.Maxrss) / 1024
	}
	return r, err
}

// forgetPeak makes the memory of this process small: its peak would count as the peak of the process that
// it starts.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where there is none, the table says too much
}

// download returns the directory of a module at a version, or why the proxy refuses it.
func download(ctx context.Context, module string) (dir, refused string) {
	command := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	command.Dir = os.TempDir()                                           // in no module
	command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY="+proxy()) // never a repository itself
	output, _ := command.Output()                                        // what is wrong is in it
	var found struct{ Dir, Error string }
	if err := json.Unmarshal(output, &found); err != nil {
		return "", err.Error()
	}
	if found.Dir == "" {
		first, _, _ := strings.Cut(found.Error, "\n")
		return "", first[strings.LastIndex(first, ": ")+2:]
	}
	return found.Dir, ""
}

// proxy is the module proxy of the environment, without a repository behind it.
func proxy() string {
	if list := os.Getenv("GOPROXY"); list != "" {
		return strings.TrimSuffix(list, ",direct")
	}
	return "https://proxy.golang.org"
}

// print says in lines how a project did.
func (r result) print(w io.Writer) {
	if r.refused != "" {
		fmt.Fprintf(w, "%s@%s: left out: %s\n", r.module, r.version, r.refused)
		return
	}
	fmt.Fprintf(w, "%s@%s: %d types, %d right, %d wrong, %d missed, %d extra, %.2f s, %.0f MB\n",
		r.module, r.version, r.types, r.right, len(r.wrong), len(r.missed), len(r.extra), r.seconds, r.megabyt)
	for _, part := range []struct {
		name  string
		types []string
	}{{"wrong", r.wrong}, {"missed", r.missed}, {"extra", r.extra}} {
		for _, text := range part.types {
			fmt.Fprintf(w, "\t%s: %s\n", part.name, text)
		}
	}
}
