package decode

import (
	"iter"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Record is a field of a message in the wire format of protobuf.
type Record struct {
	Number protowire.Number
	Type   protowire.Type
	// Value is the record's number, or the length of its content, which follows.
	Value uint64
}

// ReadRecord reads the record at the beginning of a text, up to its content if it has one. It returns the
// number of bytes read, or a number for protowire.ParseError. io.ErrUnexpectedEOF means that the text is
// cut off. Groups, which Kubernetes does not write, are refused.
func ReadRecord(text []byte) (r Record, length int) {
	if r, ok := shortRecord(text); ok {
		return r, 2
	}
	number, wire, n := protowire.ConsumeTag(text)
	if n < 0 {
		return Record{}, n
	}
	value, m := uint64(0), math.MinInt
	switch wire {
	case protowire.VarintType, protowire.BytesType:
		value, m = protowire.ConsumeVarint(text[n:])
	case protowire.Fixed64Type:
		value, m = protowire.ConsumeFixed64(text[n:])
	case protowire.Fixed32Type:
		var short uint32
		short, m = protowire.ConsumeFixed32(text[n:])
		value = uint64(short)
	}
	if m < 0 {
		return Record{}, m
	}
	return Record{number, wire, value}, n + m
}

// shortRecord reads a record of two bytes, the tag and the value. Most records have this form, and it needs
// no call.
func shortRecord(text []byte) (Record, bool) {
	if len(text) < 2 || text[0] < 1<<3 || text[0]|text[1] >= 0x80 {
		return Record{}, false
	}
	wire := protowire.Type(text[0] & 7)
	return Record{protowire.Number(text[0] >> 3), wire, uint64(text[1])}, wire == protowire.VarintType || wire == protowire.BytesType
}

// readWhole reads the record at an offset, with its content. It returns the offset after it, which is
// negative if the record is damaged.
func readWhole(message []byte, at int) (r Record, content []byte, end int) {
	r, length := ReadRecord(message[at:])
	if length < 0 {
		return r, nil, -1
	}
	at += length
	if r.Type != protowire.BytesType {
		return r, nil, at
	}
	if r.Value > uint64(len(message)-at) {
		return r, nil, -1
	}
	end = at + int(r.Value)
	return r, message[at:end], end
}

// Contents iterates over the fields of a message that are bytes, strings or messages: their numbers and
// contents. A damaged message ends with number 0. If it is cut off in a content, the part of the content
// that is there comes before.
func Contents(message []byte) iter.Seq2[protowire.Number, []byte] {
	return func(yield func(protowire.Number, []byte) bool) {
		for len(message) > 0 {
			r, length := ReadRecord(message)
			if length < 0 {
				yield(0, nil)
				return
			}
			message = message[length:]
			if r.Type != protowire.BytesType {
				continue
			}
			size := min(r.Value, uint64(len(message)))
			if !yield(r.Number, message[:size]) {
				return
			}
			if size < r.Value {
				yield(0, nil)
				return
			}
			message = message[size:]
		}
	}
}
