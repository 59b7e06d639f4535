package generate

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// proxy is a module proxy in a directory with the checkout as the one released
// version of its modules, beside a module cache.
type proxy struct{ dir, version, modules string }

// parts are the folders of the modules that have releases.
var parts = []string{"", "/operations"}

// released packs the checkout, once for all tests: the first to end would take it from
// the module cache of the others. TestMain forgets it.
var released = sync.OnceValues(func() (p proxy, err error) {
	root, err := scratch.Dir(context.Background(), scratch.Runtime)
	if err != nil {
		return p, err
	}
	p.dir = filepath.Join(built.dir, "proxy")
	if p.version, err = version(root); err != nil {
		return p, err
	}
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return p, fmt.Errorf("go env GOMODCACHE: %w", err)
	}
	p.modules = strings.TrimSpace(string(modules))
	for _, part := range parts {
		if err := p.release(root, part); err != nil {
			return p, err
		}
	}
	return p, nil
})

// release packs a module, which requires the others at the version of the proxy.
func (p proxy) release(root, part string) error {
	info, err := json.Marshal(map[string]any{"Version": p.version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	folder := root
	if part != "" {
		folder = filepath.Join(built.dir, "release"+part)
		if err := os.CopyFS(folder, os.DirFS(root+part)); err != nil {
			return err
		}
		edit := exec.Command("go", "mod", "edit", "-require="+scratch.Runtime+"@"+p.version)
		edit.Dir = folder
		if output, err := edit.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", edit, err, output)
		}
	}
	gomod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	archive, err := pack(folder, part, p.version)
	if err != nil {
		return err
	}
	at := filepath.Join(p.dir, filepath.FromSlash(scratch.Runtime+part), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list": []byte(p.version + "\n"), p.version + ".info": info, p.version + ".mod": gomod, p.version + ".zip": archive,
	} {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// version returns a version for the content of the checkout, so that the go command compiles it once.
func version(root string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, root)
	for _, part := range parts {
		// The hash is of what the files are below any version.
		content, err := pack(root+part, part, "v0.0.0")
		if err != nil {
			return "", err
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return "", err
		}
		for _, file := range archive.File {
			fmt.Fprintln(hash, file.Name, file.UncompressedSize64, file.CRC32)
		}
	}
	// The x keeps a hash of digits alone from being a number, which has no leading zero.
	return fmt.Sprintf("v0.0.1-test.x%x", hash.Sum(nil)[:6]), nil
}

// pack returns the archive of a version of a module.
func pack(folder, part, version string) ([]byte, error) {
	var archive bytes.Buffer
	err := modzip.CreateFromDir(&archive, module.Version{Path: scratch.Runtime + part, Version: version}, folder)
	return archive.Bytes(), err
}

// forget removes the version from the module cache, where it is read-only.
func (p proxy) forget() (err error) {
	for _, part := range parts {
		err = errors.Join(err, p.forgetModule(scratch.Runtime+part))
	}
	return err
}

func (p proxy) forgetModule(name string) error {
	extracted := filepath.Join(p.modules, filepath.FromSlash(name)+"@"+p.version)
	_ = filepath.WalkDir(extracted, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	versions := filepath.Join(p.modules, "cache", "download", filepath.FromSlash(name), "@v")
	downloaded, err := filepath.Glob(filepath.Join(versions, p.version+".*"))
	list := filepath.Join(versions, "list")
	if content, err := os.ReadFile(list); err == nil && strings.TrimSpace(string(content)) == p.version {
		downloaded = append(downloaded, list)
	}
	for _, path := range append(downloaded, extracted) {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// offline returns the environment of a go command that knows only the modules of the proxy and of the
// module cache. Modules of the cache are verified already.
func (p proxy) offline() []string {
	downloaded := filepath.Join(p.modules, "cache", "download")
	return []string{"GOPROXY=file://" + p.dir + ",file://" + downloaded + ",off", "GOSUMDB=off"}
}

// online returns the environment of a go command that has the proxy before the usual ones.
func (p proxy) online(t *testing.T) []string {
	return []string{"GOPROXY=file://" + p.dir + "," + goEnv(t, "GOPROXY"), "GONOSUMDB=" + scratch.Runtime}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(mustRun(t, ".", "go", "env", name))
}
