package source

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// values reads JSON from a stream, value by value, within a limit: no more is read when more than max
// bytes since the mark are there. More is read only when all that there is belongs to the value that
// is read, so the bytes that follow a value do not count against it. A value that was read at once
// may be longer: within checks it.
type values struct {
	r   io.Reader
	max int64
	// buf has the bytes that were read. Those before at were returned, and those before mark
	// are not needed any more.
	buf      []byte
	mark, at int
	// offset is where in the stream buf begins.
	offset  int64
	scanner decode.Scanner
	name    []byte // of the last member
}

// newValues returns the values of a stream, with a buffer of that size at first.
func newValues(r io.Reader, limit int64, buffer int) *values {
	return &values{r: r, max: limit, buf: make([]byte, 0, buffer)}
}

// setMark begins a part that has to be within the limit.
func (v *values) setMark() { v.mark = v.at }

// leastRead is the number of bytes that are read at once if there are as many. Whatever the limit, names,
// numbers and metadata of a list may be that long.
const leastRead = 4 << 10

// within goes back to the mark and returns an error if more than max bytes were read since.
func (v *values) within() error {
	if int64(v.at-v.mark) <= v.max {
		return nil
	}
	v.at = v.mark
	return tooLarge(v.max)
}

// fill reads more. It returns io.EOF at the end of the stream.
func (v *values) fill() error {
	kept := len(v.buf) - v.mark
	if int64(kept) > max(v.max, leastRead) {
		return tooLarge(v.max)
	}
	size := cap(v.buf)
	if kept > size/2 {
		// A buffer of twice a value takes long pieces, and one of the limit the longest value.
		size = max(size, int(min(int64(2*size), v.max+leastRead)))
	}
	if v.mark > 0 || size > cap(v.buf) {
		v.move(size)
	}
	n, err := v.r.Read(v.buf[len(v.buf):cap(v.buf)])
	v.buf = v.buf[:len(v.buf)+n]
	if n > 0 {
		return nil // an error comes again
	}
	return err
}

// move drops what is before the mark, and makes the buffer one of that size.
func (v *values) move(size int) {
	kept := v.buf[v.mark:]
	if size > cap(v.buf) {
		v.buf = make([]byte, 0, size)
	}
	v.buf = append(v.buf[:0], kept...)
	v.offset += int64(v.mark)
	v.at -= v.mark
	v.mark = 0
}

// peek returns the next byte that is not white space. It returns io.EOF at the end of the
// stream.
func (v *values) peek() (byte, error) {
	for {
		for ; v.at < len(v.buf); v.at++ {
			switch c := v.buf[v.at]; c {
			case ' ', '\n', '\t', '\r':
			default:
				return c, nil
			}
		}
		if err := v.fill(); err != nil {
			return 0, err
		}
	}
}

// expect goes behind the next byte, which has to be that one.
func (v *values) expect(c byte) error {
	switch found, err := v.peek(); {
	case err != nil:
		return cutOff(err)
	case found != c:
		return v.unexpected(fmt.Sprintf("%q", c))
	}
	v.at++
	return nil
}

// unexpected is the error for the next byte, in place of what is expected.
func (v *values) unexpected(expected string) error {
	return &decode.SyntaxError{Offset: v.offset + int64(v.at), Found: string(v.buf[v.at : v.at+1]), Expected: expected}
}

// cutOff keeps an end within a value from looking like a normal one.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// value reads the next value. It and its index are valid until the next call. A stream that
// ends here is truncated.
func (v *values) value() ([]byte, decode.Index, error) {
	if _, err := v.peek(); err != nil {
		return nil, nil, cutOff(err)
	}
	v.scanner.Reset()
	for {
		end, err := v.scan()
		if err != nil {
			return nil, nil, err
		}
		if end > 0 {
			text := v.buf[v.at : v.at+end]
			v.at += end
			return text, v.scanner.Index(), nil
		}
		if err := v.fill(); err != nil {
			return nil, nil, cutOff(err)
		}
	}
}

// skip skips the next value, which may be of any size: each number has to be within the limit.
func (v *values) skip() error {
	if _, err := v.peek(); err != nil {
		return cutOff(err)
	}
	v.setMark()
	v.scanner.ResetToSkip()
	for {
		end, err := v.scan()
		if err != nil {
			return err
		}
		if end > 0 {
			v.at += end
			return nil
		}
		v.at += v.scanner.Discard()
		v.setMark()
		if err := v.fill(); err != nil {
			return cutOff(err)
		}
	}
}

func (v *values) scan() (end int, err error) {
	end, err = v.scanner.Scan(v.buf[v.at:])
	if invalid, ok := err.(*decode.SyntaxError); ok { //nolint:errorlint // is not wrapped
		invalid.Offset += v.offset + int64(v.at)
	}
	return end, err
}

// object reads an object, and calls member at the value of each member.
func (v *values) object(member func(name []byte) error) error {
	return v.members('{', func() error {
		name, err := v.nextName()
		if err != nil {
			return err
		}
		return member(name)
	})
}

// array reads an array, or null, and calls item at each of its items.
func (v *values) array(item func() error) error {
	if c, err := v.peek(); err == nil && c == 'n' {
		return v.skip()
	}
	return v.members('[', item)
}

// members reads an object or an array: member has to read a member of it.
func (v *values) members(begin byte, member func() error) error {
	if err := v.expect(begin); err != nil {
		return err
	}
	for first := true; ; first = false {
		v.setMark()
		if more, err := v.next(begin, first); err != nil || !more {
			return err
		}
		if err := member(); err != nil {
			return cutOff(err)
		}
	}
}

// next goes to the next member of the object or array that has begun with that byte, or to its
// first one, or behind its end.
func (v *values) next(begin byte, first bool) (more bool, err error) {
	end := begin + 2 // of '{' and '['
	switch c, err := v.peek(); {
	case err != nil:
		return false, cutOff(err)
	case c == end:
		v.at++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, v.unexpected(fmt.Sprintf(`"," or %q`, end))
	}
	v.at++
	return true, nil
}

// nextName reads the name of a member, and goes to its value. The name is valid until the next
// one is read.
func (v *values) nextName() ([]byte, error) {
	if c, err := v.peek(); err == nil && c != '"' {
		return nil, v.unexpected("a name")
	}
	raw, _, err := v.value()
	if err != nil {
		return nil, err
	}
	v.name = append(v.name[:0], raw[1:len(raw)-1]...)
	if bytes.IndexByte(raw, '\\') >= 0 {
		var name string
		if err := utiljson.Unmarshal(raw, &name); err != nil {
			return nil, err
		}
		v.name = append(v.name[:0], name...)
	}
	return v.name, v.expect(':')
}

// text reads a string, or null.
func (v *values) text(into *string) error {
	raw, _, err := v.value()
	if err != nil {
		return err
	}
	if raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return utiljson.Unmarshal(raw, into)
	}
	*into = string(raw[1 : len(raw)-1])
	return nil
}

// into decodes the next value, of a type of apimachinery.
func (v *values) into(value any) error {
	raw, _, err := v.value()
	if err != nil {
		return err
	}
	return utiljson.Unmarshal(raw, value)
}

// skipNamed skips the next value as skip does, and returns the name in the metadata that are
// at that path in it. An error has the name as well, if that has come.
func (v *values) skipNamed(path ...string) (string, error) {
	var name toolscache.ObjectName
	err := v.skipFor(&name, path)
	if err != nil && name.Name != "" {
		return "", fmt.Errorf("object %q: %w", name, err)
	}
	return name.String(), err
}

func (v *values) skipFor(name *toolscache.ObjectName, path []string) error {
	if c, err := v.peek(); err != nil || c != '{' {
		return v.skip()
	}
	return v.object(func(member []byte) error {
		c, err := v.peek()
		v.setMark()
		switch {
		case err != nil:
			return err
		case len(path) > 0 && string(member) == path[0]:
			return v.skipFor(name, path[1:])
		case len(path) > 0 || c != '"':
		case string(member) == "namespace":
			return v.text(&name.Namespace)
		case string(member) == "name":
			return v.text(&name.Name)
		}
		return v.skip()
	})
}
