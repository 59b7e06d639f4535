package statuspage

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser returns the path of Chromium.
func browser(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed; it is in Debian's package of that name")
	}
	return program
}

// browse runs Chromium on a page, and returns what it prints and logs.
func browse(t *testing.T, program, url string, args ...string) (out, log string) {
	t.Helper()
	args = append([]string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
		"--enable-logging=stderr", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=2000",
	}, args...)
	command := exec.CommandContext(t.Context(), program, append(args, url)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return stdout.String(), stderr.String()
}

// A browser shows the page on a wide screen and on a narrow one, in light and dark, with
// nothing in its console. With -update, pictures are written to docs.
func TestInBrowser(t *testing.T) {
	program := browser(t)
	now := time.Now()
	p := New(newShop(now), Options{Title: "Shop", Controllers: []Controller{shippers(now)}, Contents: true})
	remember(p, now)
	server := httptest.NewServer(p)
	defer server.Close()
	for _, test := range []struct {
		name, query   string
		width, height int
		args          []string
	}{
		{"wide", "", 1200, 1500, nil},
		{"dark", "", 1200, 1500, []string{"--blink-settings=preferredColorScheme=0"}},
		{"narrow", "", 390, 2000, nil},
		{"found", "?key=customer-1/order-17", 1200, 420, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "page.png")
			if *update && test.name != "dark" {
				file = filepath.Join("..", "..", "docs", "status-page", test.name+".png")
			}
			args := append([]string{"--screenshot=" + file, fmt.Sprintf("--window-size=%d,%d", test.width, test.height)}, test.args...)
			_, log := browse(t, program, server.URL+"/"+test.query, args...)
			for _, line := range console(log) {
				t.Errorf("console: %s", line)
			}
			if *update {
				shrink(t, file)
			}
			if info, err := os.Stat(file); err != nil || info.Size() < 10_000 || *update && info.Size() > 150_000 {
				t.Errorf("picture: %v, %v", info, err)
			}
		})
	}
}

// console returns what a page has had written to the console.
func console(log string) (lines []string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "CONSOLE") {
			lines = append(lines, line)
		}
	}
	return lines
}

// What a factory names badly is text, and nothing of it runs or is wider than a screen.
func TestInBrowserWithBadNames(t *testing.T) {
	program := browser(t)
	p := New(hostile(), Options{Title: hostileName, Controllers: []Controller{controllerStatus{Name: hostileName, LastError: errors.New(hostileName), LastErrorTime: time.Now()}}, Contents: true})
	const measure = "<script>parent.document.title='width '+document.documentElement.scrollWidth+' of '+innerWidth</script>"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/390", "/980", "/1200":
			width := strings.TrimPrefix(r.URL.Path, "/")
			_, _ = io.WriteString(w, `<iframe width="`+width+`" height="800" frameborder="0" src="/inside?`+r.URL.RawQuery+`"></iframe>`)
		case "/inside": // without the policy, to see that it is not the policy that keeps names from running
			answer := httptest.NewRecorder()
			p.ServeHTTP(answer, r)
			_, _ = io.WriteString(w, answer.Body.String()+measure)
		default:
			p.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	query := "?key=" + url.QueryEscape(hostileKey)
	dom, log := browse(t, program, server.URL+"/"+query, "--dump-dom")
	if lines := console(log); len(lines) > 0 {
		t.Errorf("console: %s", lines)
	}
	if strings.Contains(dom, "<script") || strings.Contains(dom, "<img") || !strings.Contains(dom, "&lt;script&gt;") {
		t.Errorf("the names became elements:\n%s", dom)
	}
	for _, width := range []string{"390", "980", "1200"} { // a phone, the narrowest screen with tables, and a wide one
		dom, _ = browse(t, program, server.URL+"/"+width+query, "--dump-dom", "--window-size=1400,900")
		if want := "<title>width " + width + " of " + width + "</title>"; !strings.Contains(dom, want) {
			title, _, _ := strings.Cut(dom, "</title>")
			t.Errorf("at %s: want %s in %s", width, want, title)
		}
	}
}

// A page that breaks its policy is seen in the console, so that an empty one means something.
func TestConsole(t *testing.T) {
	program := browser(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = io.WriteString(w, `<!DOCTYPE html><p style="color:red">red</p>`)
	}))
	defer server.Close()
	if _, log := browse(t, program, server.URL, "--dump-dom"); len(console(log)) == 0 {
		t.Errorf("nothing in the console: %s", log)
	}
}

// shrink writes a picture with the 256 colors that it has most of, which is a third of the
// bytes.
func shrink(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			count[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	few := image.NewPaletted(full.Bounds(), colors[:min(256, len(colors))])
	draw.Draw(few, few.Bounds(), full, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
