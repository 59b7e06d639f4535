package membership

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// ownership says who owns what: the annotation of the Lease that has the group's name. It is
// a value, that is replaced and not changed.
type ownership struct {
	// epoch counts the writes.
	epoch int64
	// parts are the sets of hashes that are moved as a whole. Nil stands for equal ranges.
	parts []shard.Ranges
	// owners has the ranges of each session that owns any. What is missing has no owner.
	owners map[string]shard.Ranges
}

// ownershipJSON is the form of the annotation: ranges as shard.Ranges.String returns them.
type ownershipJSON struct {
	Epoch  int64             `json:"epoch"`
	Parts  []string          `json:"parts,omitempty"`
	Owners map[string]string `json:"owners"`
}

func (o ownership) encode() string {
	form := ownershipJSON{Epoch: o.epoch, Owners: make(map[string]string, len(o.owners))}
	for _, part := range o.parts {
		form.Parts = append(form.Parts, part.String())
	}
	for session, ranges := range o.owners {
		form.Owners[session] = ranges.String()
	}
	text, _ := json.Marshal(form) // of strings and a number
	return string(text)
}

// decodeOwnership reads an annotation, which anyone may have changed.
func decodeOwnership(text string) (ownership, error) {
	var form ownershipJSON
	if err := json.Unmarshal([]byte(text), &form); err != nil {
		return ownership{}, err
	}
	read := ownership{epoch: form.Epoch, owners: make(map[string]shard.Ranges, len(form.Owners))}
	for _, part := range form.Parts {
		ranges, err := parseRanges(part)
		if err != nil {
			return ownership{}, err
		}
		read.parts = append(read.parts, ranges)
	}
	if read.parts != nil {
		if err := checkParts(read.parts); err != nil {
			return ownership{}, err
		}
	}
	var owned shard.Ranges
	for _, session := range slices.Sorted(maps.Keys(form.Owners)) {
		ranges, err := parseRanges(form.Owners[session])
		if err != nil {
			return ownership{}, fmt.Errorf("owner %q: %w", session, err)
		}
		if both := owned.Intersect(ranges); len(both) > 0 {
			return ownership{}, fmt.Errorf("owner %q: another one owns %v too", session, both)
		}
		if len(ranges) > 0 {
			owned = owned.Union(ranges)
			read.owners[session] = ranges
		}
	}
	return read, nil
}

// parseRanges reads what shard.Ranges.String returns.
func parseRanges(text string) (shard.Ranges, error) {
	if text == "none" {
		return nil, nil
	}
	var ranges []shard.Range
	for term := range strings.SplitSeq(text, ",") {
		first, last, _ := strings.Cut(term, "-")
		from, err := strconv.ParseUint(first, 16, 64)
		to, err2 := strconv.ParseUint(last, 16, 64)
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("range %q: must be two hashes of 16 hexadecimal digits with a '-' between them", term)
		}
		ranges = append(ranges, shard.Range{First: from, Last: to})
	}
	return shard.RangesOf(ranges...)
}

// checkParts reports parts that overlap, or do not make up all hashes.
func checkParts(parts []shard.Ranges) error {
	var all shard.Ranges
	for i, part := range parts {
		if len(part) == 0 {
			return fmt.Errorf("%w: part %d of %d is empty", ErrInvalid, i, len(parts))
		}
		if both := all.Intersect(part); len(both) > 0 {
			return fmt.Errorf("%w: part %d of %d: an earlier one has %v too", ErrInvalid, i, len(parts), both)
		}
		all = all.Union(part)
	}
	if !all.Equal(shard.All()) {
		return fmt.Errorf("%w: no part has %v", ErrInvalid, shard.All().Minus(all))
	}
	return nil
}

// layout returns the parts of an ownership.
func (o ownership) layout() []shard.Ranges {
	if o.parts != nil {
		return o.parts
	}
	return equalParts
}

// equalParts are the parts by default.
var equalParts = func() []shard.Ranges {
	parts := make([]shard.Ranges, defaultParts)
	const width = math.MaxUint64/defaultParts + 1
	for i := range parts {
		first := uint64(i) * width
		parts[i] = shard.Ranges{{First: first, Last: first + (width - 1)}}
	}
	return parts
}()

// next returns the next epoch, with the same parts and without owners.
func (o ownership) next() ownership {
	return ownership{epoch: o.epoch + 1, parts: o.parts, owners: map[string]shard.Ranges{}}
}

// unowned returns what no session owns for which is returns true.
func (o ownership) unowned(is func(session string) bool) shard.Ranges {
	var owned shard.Ranges
	for session, ranges := range o.owners {
		if is(session) {
			owned = owned.Union(ranges)
		}
	}
	return shard.All().Minus(owned)
}
