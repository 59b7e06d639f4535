package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// protoList reads a list field by field: the fields of the envelope, and in it the fields of the list.
func (d *decoder) protoList(body io.Reader, each func(any, error)) (metav1.ListMeta, error) {
	var (
		in   = newProtoReader(body, d.limit, listBuffer)
		list arrived
		meta metav1.ListMeta
	)
	if begin, err := in.bytes(uint64(len(magic))); err != nil {
		return metav1.ListMeta{}, cutOff(err)
	} else if string(begin) != magic {
		return metav1.ListMeta{}, errMagic
	}
	for {
		r, err := in.next()
		switch {
		case err == io.EOF && !list.items && strings.HasSuffix(list.head.Kind, "List"):
			return metav1.ListMeta{}, io.ErrUnexpectedEOF // even an empty list has bytes
		case err == io.EOF:
			list.count = in.items
			return meta, d.check(list)
		case err != nil || r.Type != protowire.BytesType:
		case r.Number == unknownRaw && list.head.GroupVersionKind() == statusKind:
			err = in.status(r.Value)
		case r.Number == unknownRaw:
			list.items = true
			err = d.protoItems(in, r.Value, &meta, each)
		case r.Number == unknownTypeMeta:
			var message []byte
			if message, err = in.bytes(r.Value); err == nil {
				err = list.head.Unmarshal(message)
			}
		case r.Number == unknownEncoding && r.Value > 0:
			err = errEncoding
		default:
			err = in.discard(r.Value)
		}
		if err != nil {
			return metav1.ListMeta{}, cutOff(err)
		}
	}
}

// protoItems reads a list of that length.
func (d *decoder) protoItems(in *protoReader, length uint64, meta *metav1.ListMeta, each func(any, error)) error {
	end := in.offset + length
	for in.offset < end {
		r, err := in.next()
		switch {
		case err != nil || r.Type != protowire.BytesType:
		case in.offset > end || r.Value > end-in.offset:
			err = errProto
		case r.Number == listMetadata:
			err = in.listMeta(r.Value, meta)
		case r.Number == listItems:
			in.items++
			err = d.protoItem(in, r.Value, each)
		default:
			err = in.discard(r.Value)
		}
		if err != nil {
			return err
		}
	}
	if in.offset > end {
		return errProto
	}
	return nil
}

// protoItem reads an object of a list.
func (d *decoder) protoItem(in *protoReader, size uint64, each func(any, error)) error {
	if size > uint64(in.limit) {
		name, err := in.skipObject(size, nameInProto)
		if err == nil {
			each(nil, &failure.ObjectError{Object: name, Err: tooLarge(in.limit)})
		}
		return err
	}
	message, err := in.bytes(size)
	if err == nil && (d.wants.Wanted == nil || d.has(decode.ProtoMetadata(message))) {
		each(d.codec.fromProto(message, d.wants.Options))
	}
	return err
}

// protoReader reads messages from a stream.
type protoReader struct {
	// items counts the objects of the list.
	items int

	r       *bufio.Reader
	offset  uint64
	limit   int64
	scratch bytes.Buffer // for messages that do not fit r
}

func newProtoReader(r io.Reader, limit int64, buffer int) *protoReader {
	return &protoReader{r: bufio.NewReaderSize(r, buffer), limit: limit}
}

// peek returns the next n bytes, which have to fit the buffer, without reading past them. Its
// error is io.EOF only where none begins.
func (p *protoReader) peek(n uint64) ([]byte, error) {
	head, err := p.r.Peek(int(n))
	if len(head) > 0 {
		err = cutOff(err)
	}
	return head, err
}

// next reads a record up to its content. Its error is io.EOF only where none begins.
func (p *protoReader) next() (decode.Record, error) {
	head, err := p.peek(2 * binary.MaxVarintLen64)
	if len(head) == 0 {
		return decode.Record{}, err
	}
	r, length := decode.ReadRecord(head)
	switch {
	case length >= 0:
		return r, p.discard(uint64(length))
	case protowire.ParseError(length) == io.ErrUnexpectedEOF:
		return r, err
	}
	return r, errProto
}

// bytes reads n bytes. They are valid until the next read.
func (p *protoReader) bytes(n uint64) ([]byte, error) {
	if n > uint64(max(p.limit, leastRead)) {
		return nil, tooLarge(p.limit)
	}
	if p.scratch.Cap() > growth && n <= growth {
		p.scratch = bytes.Buffer{} // the memory of one large message must not be kept for as long as a watch lasts
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
	// It grows as the bytes come, whatever length the server claims.
	p.scratch.Reset()
	_, err := io.CopyN(&p.scratch, p.r, int64(n))
	return p.scratch.Bytes(), cutOff(err)
}

// listMeta reads the metadata of a list.
func (p *protoReader) listMeta(size uint64, into *metav1.ListMeta) error {
	message, err := p.bytes(size)
	if err != nil {
		return err
	}
	if err := into.Unmarshal(message); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	return nil
}

// status reads a Status, and returns its error.
func (p *protoReader) status(size uint64) error {
	message, err := p.bytes(size)
	if err != nil {
		return err
	}
	status := &metav1.Status{}
	if err := status.Unmarshal(message); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	return statusOfList(status)
}

// skipObject reads past n bytes, and returns the name of the object in them that is found in
// the beginning.
func (p *protoReader) skipObject(n uint64, nameIn func(head []byte) string) (string, error) {
	head, err := p.peek(min(n, uint64(p.r.Size())))
	if err != nil {
		return "", err
	}
	name := nameIn(head)
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

// growth is the size up to which the memory of a message is kept for the next one.
const growth = 1 << 20
