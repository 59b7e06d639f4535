package generate

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// proxy is a module proxy in a directory with the checkout as the one released
// version of its module, beside a module cache.
type proxy struct{ dir, version, modules string }

// newProxy packs the checkout. The version is that of the content, so that the go
// command compiles it once; it leaves the module cache when the test ends.
func newProxy(t *testing.T) proxy {
	t.Helper()
	root := checkout(t)
	// The version is the hash of what the files are below any version.
	content := pack(t, root, "v0.0.0")
	hash := sha256.New()
	fmt.Fprintln(hash, root)
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.File {
		fmt.Fprintln(hash, file.Name, file.UncompressedSize64, file.CRC32)
	}
	// The x keeps a hash of digits alone from being a number, which has no leading zero.
	p := proxy{dir: t.TempDir(), version: fmt.Sprintf("v0.0.1-test.x%x", hash.Sum(nil)[:6]), modules: goEnv(t, "GOMODCACHE")}

	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]any{"Version": p.version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(p.dir, filepath.FromSlash(scratch.Runtime), "@v")
	write(t, filepath.Join(at, "list"), p.version+"\n")
	write(t, filepath.Join(at, p.version+".info"), string(info))
	write(t, filepath.Join(at, p.version+".mod"), string(gomod))
	write(t, filepath.Join(at, p.version+".zip"), string(pack(t, root, p.version)))
	t.Cleanup(func() { p.forget(t) })
	return p
}

// pack returns the archive of a version of the module.
func pack(t *testing.T, root, version string) []byte {
	t.Helper()
	var archive bytes.Buffer
	if err := modzip.CreateFromDir(&archive, module.Version{Path: scratch.Runtime, Version: version}, root); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// forget removes the version from the module cache, where it is read-only.
func (p proxy) forget(t *testing.T) {
	extracted := filepath.Join(p.modules, filepath.FromSlash(scratch.Runtime)+"@"+p.version)
	_ = filepath.WalkDir(extracted, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	versions := filepath.Join(p.modules, "cache", "download", filepath.FromSlash(scratch.Runtime), "@v")
	downloaded, err := filepath.Glob(filepath.Join(versions, p.version+".*"))
	if err != nil {
		t.Error(err)
	}
	list := filepath.Join(versions, "list")
	if content, err := os.ReadFile(list); err == nil && strings.TrimSpace(string(content)) == p.version {
		downloaded = append(downloaded, list)
	}
	for _, path := range append(downloaded, extracted) {
		if err := os.RemoveAll(path); err != nil {
			t.Error(err)
		}
	}
}

// offline is the environment of a go command that knows no other module than those
// of the proxy and of the module cache. Modules of the cache are verified already.
func (p proxy) offline() []string {
	downloaded := filepath.Join(p.modules, "cache", "download")
	return []string{"GOPROXY=file://" + p.dir + ",file://" + downloaded + ",off", "GOSUMDB=off"}
}

// online is that of a go command that has the proxy before the usual ones.
func (p proxy) online(t *testing.T) []string {
	return []string{"GOPROXY=file://" + p.dir + "," + goEnv(t, "GOPROXY"), "GONOSUMDB=" + scratch.Runtime}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(mustRun(t, ".", "go", "env", name))
}
