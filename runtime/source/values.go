package source

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// values reads JSON from a stream, value by value.
type values struct {
	*jsontext.Decoder
	limit *limitReader
}

func newValues(r io.Reader, limit int64) *values {
	lr := &limitReader{r: r, max: limit}
	return &values{
		Decoder: jsontext.NewDecoder(lr, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		limit:   lr,
	}
}

// value reads the next value. It is valid until the next call. A stream that
// ends here was cut off.
func (v *values) value() (jsontext.Value, error) {
	v.limit.mark(v.InputOffset())
	raw, err := v.ReadValue()
	return raw, cutOff(err)
}

// token reads the next token of a value that has begun.
func (v *values) token() (jsontext.Token, error) {
	v.limit.mark(v.InputOffset())
	t, err := v.ReadToken()
	return t, cutOff(err)
}

// cutOff keeps an end within a value from looking like an orderly one.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// limitReader fails when more than max bytes are read of one value. A decoder
// reads more only when all that it has belongs to the value that it is at, so
// the bytes that follow a value do not count against it.
type limitReader struct {
	r          io.Reader
	read, from int64
	max        int64
}

// mark says at which offset a value begins.
func (l *limitReader) mark(offset int64) { l.from = offset }

func (l *limitReader) Read(p []byte) (int, error) {
	if l.read-l.from > l.max {
		return 0, ErrTooLarge
	}
	n, err := l.r.Read(p)
	l.read += int64(n)
	return n, err
}

// object reads an object, and calls member at the value of each member.
func (v *values) object(member func(name string) error) error {
	return v.members('{', func() error {
		name, err := v.token()
		if err != nil {
			return err
		}
		return member(name.String())
	})
}

// array reads an array, or null, and calls item at each of its items.
func (v *values) array(item func() error) error {
	if v.PeekKind() == 'n' {
		return v.skip()
	}
	return v.members('[', item)
}

// members reads an object or an array: next has to read a member of it.
func (v *values) members(kind byte, next func() error) error {
	begin, err := v.token()
	if err != nil {
		return err
	}
	if byte(begin.Kind()) != kind {
		return fmt.Errorf("%s where %c is expected", begin.Kind(), kind)
	}
	for {
		v.limit.mark(v.InputOffset())
		switch v.PeekKind() {
		case '}', ']':
			_, err := v.token()
			return err
		}
		// After an error PeekKind is invalid, and next meets the error.
		if err := next(); err != nil {
			return cutOff(err)
		}
	}
}

// skip reads past the next value.
func (v *values) skip() error {
	v.limit.mark(v.InputOffset())
	return cutOff(v.SkipValue())
}

// into decodes the next value, of a type of apimachinery.
func (v *values) into(value any) error {
	raw, err := v.value()
	if err != nil {
		return err
	}
	return utiljson.Unmarshal(raw, value)
}
