package decode

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Records are the fields that protowire finds, except for groups.
func FuzzRecords(f *testing.F) {
	for _, text := range [][]byte{{}, {8, 7}, {10, 1, 'x'}, {10, 2, 'x'}, {13, 1, 2, 3, 4}, {9, 1, 2, 3, 4, 5, 6, 7, 8}, {0x88, 0x80, 1, 0x80, 1}, {11, 12}, {0, 1}, {8, 0x80}} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, content, end := readWhole(text, 0)
		number, wire, length := protowire.ConsumeField(text)
		if wire == protowire.StartGroupType {
			length = -1
		}
		if max(end, -1) != max(length, -1) {
			t.Fatalf("% x: %d bytes, want %d", text, end, length)
		}
		if end < 0 {
			return
		}
		if r.Number != number || r.Type != wire || r.Type == protowire.BytesType && !slices.Equal(content, text[end-len(content):end]) {
			t.Errorf("% x: %v %x", text, r, content)
		}
	})
}
