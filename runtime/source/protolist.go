package source

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// protoList reads a list field by field: the envelope's, and in it those of
// the list.
func (c *codec) protoList(body io.Reader, limit int64, wanted wanted, each func(any, error)) (metav1.ListMeta, error) {
	var (
		in   = newProtoReader(body, limit)
		head metav1.TypeMeta
		meta metav1.ListMeta
		list bool // was there
	)
	if begin, err := in.bytes(uint64(len(magic))); err != nil {
		return metav1.ListMeta{}, cutOff(err)
	} else if string(begin) != magic {
		return metav1.ListMeta{}, errMagic
	}
	for {
		switch number, wire, err := in.tag(); {
		case err == io.EOF && !list && strings.HasSuffix(head.Kind, "List"):
			return metav1.ListMeta{}, io.ErrUnexpectedEOF // even an empty list has bytes
		case err == io.EOF:
			return meta, c.checkList(head, list, in.items)
		case err != nil:
			return metav1.ListMeta{}, err
		default:
			list = list || number == unknownRaw
			if err := c.protoListField(in, number, wire, &head, &meta, wanted, each); err != nil {
				return metav1.ListMeta{}, cutOff(err)
			}
		}
	}
}

// protoListField reads one field of the envelope of a list.
func (c *codec) protoListField(in *protoReader, number uint64, wire byte, head *metav1.TypeMeta, meta *metav1.ListMeta, wanted wanted, each func(any, error)) error {
	if wire != wireBytes {
		return in.skip(wire)
	}
	length, err := in.varint()
	if err != nil {
		return err
	}
	switch number {
	case unknownRaw:
		return c.protoItems(in, length, meta, wanted, each)
	case unknownTypeMeta:
		message, err := in.bytes(length)
		if err != nil {
			return err
		}
		*head, err = typeMetaOf(message)
		return err
	case unknownEncoding:
		if length > 0 {
			return errEncoding
		}
	}
	return in.discard(length)
}

// protoItems reads a list of that length.
func (c *codec) protoItems(in *protoReader, length uint64, meta *metav1.ListMeta, wanted wanted, each func(any, error)) error {
	end := in.offset + length
	for in.offset < end {
		number, wire, err := in.tag()
		if err != nil {
			return err
		}
		if wire != wireBytes {
			if err := in.skip(wire); err != nil {
				return err
			}
			continue
		}
		size, err := in.varint()
		if err != nil {
			return err
		}
		if in.offset > end || size > end-in.offset {
			return errProto
		}
		if number != listMetadata && number != listItems {
			if err := in.discard(size); err != nil {
				return err
			}
			continue
		}
		if number == listItems {
			in.items++
		}
		if number == listItems && size > uint64(in.limit) {
			name, err := in.skipObject(size)
			if err != nil {
				return err
			}
			each(nil, &failure.ObjectError{Object: name, Err: tooLarge(in.limit)})
			continue
		}
		message, err := in.bytes(size)
		if err != nil {
			return err
		}
		if number == listMetadata {
			if err := meta.Unmarshal(message); err != nil {
				return fmt.Errorf("metadata: %w", err)
			}
			continue
		}
		if wanted.proto(message) {
			each(c.fromProto(message))
		}
	}
	if in.offset > end {
		return errProto
	}
	return nil
}

// protoReader reads the wire format from a stream.
type protoReader struct {
	// items counts the objects of the list.
	items int

	r       *bufio.Reader
	offset  uint64
	limit   int64
	scratch []byte // of the largest message that did not fit r
}

func newProtoReader(r io.Reader, limit int64) *protoReader {
	return &protoReader{r: bufio.NewReaderSize(r, listBuffer), limit: limit}
}

// ReadByte is for binary.ReadUvarint.
func (p *protoReader) ReadByte() (byte, error) {
	b, err := p.r.ReadByte()
	if err == nil {
		p.offset++
	}
	return b, err
}

func (p *protoReader) varint() (uint64, error) { return binary.ReadUvarint(p) }

// tag reads the number and wire type of a field. Its error is io.EOF only
// where no field begins.
func (p *protoReader) tag() (uint64, byte, error) {
	tag, err := p.varint()
	if err == nil && !legalTag(tag) {
		err = errProto
	}
	return tag >> 3, byte(tag & 7), err
}

// bytes reads n bytes. They are valid until the next read.
func (p *protoReader) bytes(n uint64) ([]byte, error) {
	if n > uint64(p.limit) {
		return nil, tooLarge(p.limit)
	}
	p.offset += n
	if n <= uint64(p.r.Size()) {
		data, err := p.r.Peek(int(n))
		if err != nil {
			return nil, err
		}
		_, err = p.r.Discard(len(data))
		return data, err
	}
	var err error
	p.scratch, err = readFull(p.r, p.scratch, int(n))
	return p.scratch, err
}

// skipObject reads past an object of n bytes, and returns its name if that is
// near its beginning.
func (p *protoReader) skipObject(n uint64) (string, error) {
	head, err := p.r.Peek(int(min(n, listBuffer)))
	if err != nil {
		return "", err
	}
	name := nameInProto(head)
	return name, p.discard(n)
}

func (p *protoReader) discard(n uint64) error {
	if n > math.MaxInt {
		return errProto
	}
	p.offset += n
	_, err := p.r.Discard(int(n))
	return err
}

// skip reads past a value that is not bytes.
func (p *protoReader) skip(wire byte) error {
	switch wire {
	case wireVarint:
		_, err := p.varint()
		return err
	case wireFixed64:
		return p.discard(8)
	case wireFixed32:
		return p.discard(4)
	}
	return errProto
}

// growth is how much memory a length that a server claims can cost before as
// many bytes have come.
const growth = 1 << 20

// readFull reads n bytes into buf, or into a larger one that grows as they
// come.
func readFull(r io.Reader, buf []byte, n int) ([]byte, error) {
	buf = buf[:0]
	for len(buf) < n {
		at := len(buf)
		step := min(n-at, max(growth, cap(buf)-at))
		if cap(buf)-at < step {
			buf = append(make([]byte, 0, min(n, max(2*cap(buf), at+step))), buf...)
		}
		buf = buf[:at+step]
		if _, err := io.ReadFull(r, buf[at:]); err != nil {
			return buf, cutOff(err)
		}
	}
	return buf, nil
}
