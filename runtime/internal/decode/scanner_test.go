package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// scan reads the value at the beginning of a text that comes in pieces of that size.
func scan(s *Scanner, text []byte, size int) (end int, err error) {
	s.Reset()
	for come := 0; come < len(text) && end == 0 && err == nil; {
		come = min(come+size, len(text))
		end, err = s.Scan(text[:come])
	}
	return end, err
}

// indexOf returns the index of a valid text.
func indexOf(text []byte) Index {
	var s Scanner
	_, _ = s.Scan(text)
	return s.Index()
}

// scanned is JSON for a text that is scanned first, and may have white space around it.
func (d *Decoder) scanned(text []byte, pointer unsafe.Pointer) bool {
	return d.scannedAs(text, decoding.Options{}, pointer)
}

func (d *Decoder) scannedAs(text []byte, how decoding.Options, pointer unsafe.Pointer) bool {
	const space = " \t\r\n"
	var s Scanner
	text = bytes.TrimLeft(text, space)
	end, err := s.Scan(text)
	if err != nil || end == 0 || len(bytes.TrimLeft(text[end:], space)) > 0 {
		return false
	}
	return d.JSON(text[:end], s.Index(), how, pointer)
}

func TestIndex(t *testing.T) {
	for text, want := range map[string]Index{
		`{}`:                         {{end: 2, next: 1}},
		` [ ] `:                      {{end: 4, next: 1}},
		`{"a":1}`:                    {{end: 7, next: 1, members: 1}},
		`[1,"]",2]`:                  {{end: 9, next: 1, members: 3}},
		`{"a":{"b":[]},"c":[{},{}]}`: {{26, 6, 2}, {13, 3, 1}, {12, 3, 0}, {25, 6, 2}, {21, 5, 0}, {24, 6, 0}},
		`{"\\":"\\\"","\"}":["{"]}`:  {{25, 2, 2}, {24, 2, 1}},
	} {
		if got := indexOf([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestScannerFindsTheEnd(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	long := `"` + strings.Repeat("0123456789abcde\\u00e9", 20) + `"`
	for text, want := range map[string]int{ // 0 is that it does not end
		`{}`: 2, `[]`: 2, ` { } `: 4, `[ ]x`: 3, `null `: 4, `true,`: 4, `false]`: 5, `"a"b`: 3, `""`: 2,
		`0 `: 1, `-0.5e+10 `: 8, `12,`: 2, `1E5]`: 3, `{"a":[1,{"b":null}],"a":"\u00fF\"\\"}x`: 37,
		"\"\xff\" ": 3, `"\ud800"`: 8, deep: 2 * maxDepth, long: len(long),
		``: 0, ` `: 0, `{`: 0, `[1,`: 0, `"\`: 0, `"\u12`: 0, `nul`: 0, `[12`: 0, `{"a"`: 0, `1`: 0,
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			if end, err := scan(new(Scanner), []byte(text), size); end != want || err != nil {
				t.Errorf("%.40s in pieces of %d: ends at %d, %v, want %d", text, size, end, err, want)
			}
		}
	}
}

func TestScannerSaysWhatIsWrong(t *testing.T) {
	tooDeep := strings.Repeat("[", maxDepth+1)
	for text, want := range map[string]string{
		`[1,]`:                     `found "]" at offset 3, expected a value`,
		`[1 2]`:                    `found "2" at offset 3, expected "," or "]"`,
		`[1}`:                      `found "}" at offset 2, expected "," or "]"`,
		`[}`:                       `found "}" at offset 1, expected a value or "]"`,
		`{]`:                       `found "]" at offset 1, expected a name or "}"`,
		`{,}`:                      `found "," at offset 1, expected a name or "}"`,
		`{1:2}`:                    `found "1" at offset 1, expected a name or "}"`,
		`{"a"}`:                    `found "}" at offset 4, expected ":"`,
		`{"a":}`:                   `found "}" at offset 5, expected a value`,
		`{"a":1,}`:                 `found "}" at offset 7, expected a name`,
		`{"a":1 "b":2}`:            `found "\"" at offset 7, expected "," or "}"`,
		`{"a":""":1`:               `found "\"" at offset 7, expected "," or "}"`,
		`{"a":1 tru`:               `found "t" at offset 7, expected "," or "}"`,
		`{"a":1]`:                  `found "]" at offset 6, expected "," or "}"`,
		`]`:                        `found "]" at offset 0, expected a value`,
		`:`:                        `found ":" at offset 0, expected a value`,
		"\x00":                     `found "\x00" at offset 0, expected a value`,
		`[01]`:                     `found "01" at offset 1, expected a value or "]"`,
		`[-]`:                      `found "-" at offset 1, expected a value or "]"`,
		`[1.]`:                     `found "1." at offset 1, expected a value or "]"`,
		`[.5]`:                     `found ".5" at offset 1, expected a value or "]"`,
		`[1e+]`:                    `found "1e+" at offset 1, expected a value or "]"`,
		`[+1]`:                     `found "+1" at offset 1, expected a value or "]"`,
		`[nulL]`:                   `found "nulL" at offset 1, expected a value or "]"`,
		`["\x"]`:                   `found "\\" at offset 2, expected the rest of a string`,
		`["a\u00g0"]`:              `found "\\" at offset 3, expected the rest of a string`,
		"[\"ab\n\"]":               `found "\n" at offset 4, expected the rest of a string`,
		tooDeep:                    `found "[" at offset 10000, expected a value or "]"`,
		`[` + long(30, "a"):        "",
		`[` + long(30, "1x") + ` `: `found "1x1x1x1x1x1x1x1x1x1x" at offset 1, expected a value or "]"`,
	} {
		for _, size := range []int{1, 5, 1 << 20} {
			_, err := scan(new(Scanner), []byte(text), size)
			invalid := (*SyntaxError)(nil)
			if want == "" && err == nil {
				continue // goes on
			}
			if !errors.As(err, &invalid) || err.Error() != "invalid JSON: "+want {
				t.Errorf("%.40s in pieces of %d: %v, want %s", text, size, err, want)
			}
		}
	}
}

func long(n int, of string) string { return strings.Repeat(of, n) }

// A value that is skipped takes no memory for what has ended.
func TestScannerSkips(t *testing.T) {
	text := []byte(`[` + strings.Repeat(`{"a\"b":[null,"x"]},`, 1000) + `12.5,"` + strings.Repeat(`long\u00e9`, 100) + `"]`)
	for _, size := range []int{1, 7, 100} {
		var s Scanner
		s.ResetToSkip()
		end, discarded := 0, 0
		for come := 0; end == 0; {
			come = min(come+size, len(text))
			var err error
			if end, err = s.Scan(text[discarded:come]); err != nil || come == len(text) && end == 0 {
				t.Fatalf("pieces of %d: ends at %d, %v", size, end, err)
			}
			if end == 0 {
				discarded += s.Discard()
			}
			if held := come - discarded; end == 0 && held > len(`\u00e9`) {
				t.Fatalf("pieces of %d: %d bytes have to be held at %d", size, held, discarded)
			}
		}
		if end += discarded; end != len(text) || cap(s.index) > 8 {
			t.Errorf("pieces of %d: ends at %d, want %d, with an index of %d", size, end, len(text), cap(s.index))
		}
	}
}

func TestScannerDropsALargeIndex(t *testing.T) {
	var s Scanner
	if _, err := s.Scan([]byte(`[` + strings.Repeat(`{},`, keptIndex) + `1]`)); err != nil || len(s.Index()) != keptIndex+1 {
		t.Fatal(err, len(s.Index()))
	}
	if s.Reset(); cap(s.index) != 0 {
		t.Errorf("%d containers are kept", cap(s.index))
	}
}

// reference returns the end of the value at the beginning of a text, and its index, by
// encoding/json.
func reference(text []byte) (end int, x Index, err error) {
	first := json.NewDecoder(bytes.NewReader(text))
	if err := first.Decode(new(json.RawMessage)); err != nil {
		return 0, nil, err
	}
	end = int(first.InputOffset())
	d := json.NewDecoder(bytes.NewReader(text[:end]))
	d.UseNumber()
	var open []int // their places in the index
	for {
		token, err := d.Token()
		if err != nil {
			return end, x, nil //nolint:nilerr // io.EOF: the value has been decoded before
		}
		delimiter, _ := token.(json.Delim)
		if delimiter == '}' || delimiter == ']' {
			c := &x[open[len(open)-1]]
			open = open[:len(open)-1]
			c.end, c.next = int(d.InputOffset()), len(x)
			if delimiter == '}' {
				c.members /= 2
			}
			continue
		}
		if len(open) > 0 {
			x[open[len(open)-1]].members++
		}
		if delimiter != 0 {
			open = append(open, len(x))
			x = append(x, container{})
		}
	}
}

// What is valid, where it ends and its index are as encoding/json has them, in whatever pieces it
// comes.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null}],"c":"\u00fF\"\\"} x`, `[-0.5e+10,true,false,[],{}]`, `12 3`, `"\ud800"`, `{"a":1,}`, `[1 2]`, "nul", `01`, "[\"0123456789\x1f0123456789\xff\\\"\"]"} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		text = append([]byte("["), text...) // for a number at the top shows its end only by what follows
		var s Scanner
		end, err := scan(&s, text, max(1, size))
		theirEnd, theirs, theirErr := reference(text)
		if theirErr != nil {
			theirEnd = 0
		}
		if end != theirEnd {
			t.Fatalf("%q: ends at %d, %v; encoding/json: at %d, %v", text, end, err, theirEnd, theirErr)
		}
		if end > 0 && !slices.Equal(s.Index(), theirs) {
			t.Fatalf("%q: index %v, encoding/json %v", text, s.Index(), theirs)
		}
	})
}
