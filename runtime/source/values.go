package source

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	clientgo "k8s.io/client-go/tools/cache"
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

// mark begins a part that has to be within the limit.
func (v *values) mark() { v.limit.from = v.InputOffset() }

// value reads the next value. It is valid until the next call. A stream that
// ends here is truncated.
func (v *values) value() (jsontext.Value, error) {
	raw, err := v.ReadValue()
	return raw, cutOff(err)
}

// token reads the next token of a value that has begun.
func (v *values) token() (jsontext.Token, error) {
	t, err := v.ReadToken()
	return t, cutOff(err)
}

// cutOff keeps an end within a value from looking like a normal one.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// limitReader fails when more than max bytes are read since the offset from. A
// decoder reads more only when all that it has belongs to the value that it is
// at, so the bytes that follow a value do not count against it. It can go on when
// from has moved.
type limitReader struct {
	r          io.Reader
	read, from int64
	max        int64
}

func (l *limitReader) Read(p []byte) (int, error) {
	if l.read-l.from > l.max {
		return 0, tooLarge(l.max)
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
		v.mark()
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

// skip skips the next value, which may be of any size.
func (v *values) skip() error {
	_, err := v.skipTo(v.StackDepth(), "")
	return err
}

// skipTo reads token by token, each within the limit, until no more than depth
// objects and arrays are open. It returns the object's name, which the metadata at
// that JSON pointer has, if it has come past it.
func (v *values) skipTo(depth int, metadata jsontext.Pointer) (string, error) {
	var name clientgo.ObjectName
	within := strings.Count(string(metadata), "/") + 1 // what is open in metadata
	for {
		v.mark()
		token, err := v.token()
		if err != nil && name.Name != "" {
			return "", fmt.Errorf("object %q: %w", name, err)
		}
		if err != nil {
			return "", err
		}
		if token.Kind() == '"' && v.StackDepth() == within && metadata != "" {
			v.nameAt(metadata, token, &name)
		}
		if v.StackDepth() <= depth {
			return name.String(), nil
		}
	}
}

// nameAt takes a string that was read if it is a name in metadata.
func (v *values) nameAt(metadata jsontext.Pointer, token jsontext.Token, name *clientgo.ObjectName) {
	at := v.StackPointer()
	if _, n := v.StackIndex(v.StackDepth()); n%2 != 0 || at.Parent() != metadata {
		return // the name of a member, or elsewhere
	}
	switch at.LastToken() {
	case "namespace":
		name.Namespace = token.String()
	case "name":
		name.Name = token.String()
	}
}

// into decodes the next value, of a type of apimachinery.
func (v *values) into(value any) error {
	raw, err := v.value()
	if err != nil {
		return err
	}
	return utiljson.Unmarshal(raw, value)
}
