package decode

import (
	"encoding/base64"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// string reads a string.
func (w *walk) string() (string, bool) {
	if w.text[w.at] != '"' {
		return "", false
	}
	begin := w.at
	w.at = endOfString(w.text, begin)
	content := w.text[begin+1 : w.at-1]
	if isPlain(content) {
		return w.strings.string(content), true
	}
	unquoted, ok := unquote(string(content))
	return w.strings.string(unquoted), ok && utf8.Valid(content)
}

// unquote returns the content of a string without escapes. It returns false for escapes that Go does not
// have and API servers do not write: of a slash, and of a surrogate.
func unquote(content string) ([]byte, bool) {
	text := make([]byte, 0, len(content))
	for {
		at := strings.IndexByte(content, '\\')
		if at < 0 {
			return append(text, content...), true
		}
		text = append(text, content[:at]...)
		r, _, rest, err := strconv.UnquoteChar(content[at:], '"')
		if err != nil {
			return nil, false
		}
		text, content = utf8.AppendRune(text, r), rest
	}
}

// isPlain reports whether a string has only ASCII and no escapes.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (w *walk) bool(p unsafe.Pointer) bool {
	switch text := w.skip(); string(text) {
	case "true":
		*(*bool)(p) = true
		return true
	default:
		return string(text) == "false"
	}
}

func (w *walk) number(n *node, p unsafe.Pointer) bool {
	text := string(w.skip())
	switch n.kind {
	case intKind:
		v, err := strconv.ParseInt(text, 10, n.bits)
		reflect.NewAt(n.typ, p).Elem().SetInt(v)
		return err == nil
	case uintKind:
		v, err := strconv.ParseUint(text, 10, n.bits)
		reflect.NewAt(n.typ, p).Elem().SetUint(v)
		return err == nil
	default:
		if !isNumber(text) {
			return false
		}
		v, err := strconv.ParseFloat(text, n.bits)
		reflect.NewAt(n.typ, p).Elem().SetFloat(v)
		return err == nil
	}
}

func isNumber(text string) bool { return text[0] == '-' || text[0] >= '0' && text[0] <= '9' }

func (w *walk) bytes(p unsafe.Pointer) bool {
	if w.text[w.at] != '"' {
		return false
	}
	text := w.skip()
	if text = text[1 : len(text)-1]; !isPlain(text) {
		return false
	}
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	length, err := base64.StdEncoding.Decode(decoded, text)
	*(*[]byte)(p) = decoded[:length:length]
	return err == nil
}

// time decodes a time like metav1.Time.
func (w *walk) time(p unsafe.Pointer) bool {
	if w.text[w.at] != '"' {
		return false
	}
	text := w.skip()
	if text = text[1 : len(text)-1]; !isPlain(text) {
		return false
	}
	t, err := time.Parse(time.RFC3339, string(text))
	(*metav1.Time)(p).Time = t.Local()
	return err == nil
}
