package decode

import "fmt"

// Scanner reads a JSON value that comes in pieces, each byte once: it checks that the value
// is valid (RFC 8259), finds its end, and builds its index. As for client-go, strings need
// not be valid UTF-8, and names may be there twice. The zero value is ready for use.
//
//	text ─► tokens ─► state: may the token be here? ─► containers that are open ─► index
type Scanner struct {
	index Index
	state state
	// open are the containers that have not ended, and commas those of the innermost.
	open   []opened
	commas int
	// at is where the token begins that is not complete, and within how far it was read.
	at, within int
	// inString reports whether that is a string.
	inString bool
	// skips reports whether the value is skipped: then the index has only what is open.
	skips bool
}

// opened is a container that has not ended.
type opened struct {
	place int // in the index
	// commas and state are those to go on with behind it.
	commas int
	state  state
}

// keptIndex is the size of the largest index whose memory is kept.
const keptIndex = 1 << 14

// maxDepth limits how deep containers are nested, as for encoding/json.
const maxDepth = 10_000

// state says what has to come next.
type state uint8

const (
	topValue state = iota
	memberValue
	element
	firstElement // or the end of the array
	memberName
	firstName // or the end of the object
	colon
	afterMember
	afterElement
	// What follows ends a call of Scan.
	complete
	invalid
	// The token goes on behind the text.
	partial
	partialString
)

// expected says what a state is in an error.
var expected = [...]string{
	topValue: "a value", memberValue: "a value", element: "a value", firstElement: `a value or "]"`,
	memberName: "a name", firstName: `a name or "}"`, colon: `":"`,
	afterMember: `"," or "}"`, afterElement: `"," or "]"`,
}

// behind is the state behind a value, or behind a name, by the state before it.
var behind = [...]state{
	topValue: complete, memberValue: afterMember, element: afterElement, firstElement: afterElement,
	memberName: colon, firstName: colon,
	colon: invalid, afterMember: invalid, afterElement: invalid,
}

// afterComma is the state behind a comma.
var afterComma = [...]state{
	topValue: invalid, memberValue: invalid, element: invalid, firstElement: invalid,
	memberName: invalid, firstName: invalid, colon: invalid,
	afterMember: memberName, afterElement: element,
}

// Reset makes the Scanner begin with another value. The index of the last one is invalid
// then.
func (s *Scanner) Reset() {
	s.index, s.open = s.index[:0], s.open[:0]
	if cap(s.index) > keptIndex {
		s.index = nil
	}
	s.state, s.commas, s.at, s.within, s.inString, s.skips = topValue, 0, 0, 0, false, false
}

// ResetToSkip is Reset for a value that is not needed: it has no index, and Discard can be
// called.
func (s *Scanner) ResetToSkip() {
	s.Reset()
	s.skips = true
}

// Index returns the index of the value, once that has ended. It is valid until the next Reset.
func (s *Scanner) Index() Index { return s.index }

// Scan reads text from where the last call has ended: text has all that it had then, and
// what has come since. Scan returns the offset behind the value, or 0 if the value has not
// ended: of a number or literal, only the byte behind it shows that. Its error is a *SyntaxError.
func (s *Scanner) Scan(text []byte) (end int, err error) {
	at, now := s.at, s.state
	if s.inString {
		next, then := s.escaped(text, s.within, now)
		if then >= complete {
			return s.stop(text, at, next, now, then)
		}
		at, now, s.inString = next, then, false
	}
	for at < len(text) {
		next, then := at+1, invalid
		switch c := text[at]; c {
		case '"':
			if next = plainEnd(text, next); next < len(text) && text[next] == '"' {
				next, then = next+1, behind[now]
			} else {
				next, then = s.escaped(text, next, now)
			}
			if then == colon && next < len(text) && text[next] == ':' {
				next, then = next+1, memberValue
			}
		case ':':
			if now == colon {
				then = memberValue
			}
		case ',':
			s.commas++
			then = afterComma[now]
		case '{', '[':
			then = s.begin(c, now)
		case '}', ']':
			then = s.end(c, next, now)
		case ' ', '\n', '\t', '\r':
			then = now
		default:
			next, then = s.word(text, at, now)
		}
		if then >= complete {
			return s.stop(text, at, next, now, then)
		}
		at, now = next, then
	}
	s.at, s.state = at, now
	return 0, nil
}

// stop ends a call of Scan at a token that was read up to next.
func (s *Scanner) stop(text []byte, at, next int, before, how state) (end int, err error) {
	switch how {
	case complete:
		return next, nil
	case invalid:
		return 0, s.newSyntaxError(text, at, next, before)
	}
	s.at, s.within, s.inString, s.state = at, next, how == partialString, before
	return 0, nil
}

// Discard makes the Scanner independent of the first bytes of the text, and returns how many
// these are: the next call of Scan takes what follows them, which has come of a number
// or literal at most. The value must be one to skip.
func (s *Scanner) Discard() int {
	n := s.at
	if s.inString {
		n = s.within
	}
	s.at, s.within = 0, max(0, s.within-n)
	return n
}

// escaped reads on in a string. It returns how far, and the state then.
func (s *Scanner) escaped(text []byte, at int, now state) (int, state) {
	if behind[now] == invalid {
		return at, invalid
	}
	at, how := stringEnd(text, at)
	switch how {
	case complete:
		how = behind[now]
	case partial:
		how = partialString
	}
	return at, how
}

// word reads a number, true, false or null. It returns how far, and the state then.
func (s *Scanner) word(text []byte, at int, now state) (int, state) {
	end := wordEnd(text, max(at, s.within))
	switch {
	case now > firstElement:
		return end, invalid
	case end == len(text):
		return end, partial
	case !isWord(text[at:end]):
		return end, invalid
	}
	return end, behind[now]
}

// begin begins a container, which c is the first byte of.
func (s *Scanner) begin(c byte, now state) state {
	if now > firstElement || len(s.open) == maxDepth {
		return invalid
	}
	s.open = append(s.open, opened{len(s.index), s.commas, behind[now]})
	s.index = append(s.index, container{})
	s.commas = 0
	if c == '[' {
		return firstElement
	}
	return firstName
}

// end ends the innermost container at that offset. Its last byte is c.
func (s *Scanner) end(c byte, at int, now state) state {
	members := 0
	switch {
	case c == '}' && now == firstName, c == ']' && now == firstElement:
	case c == '}' && now == afterMember, c == ']' && now == afterElement:
		members = s.commas + 1
	default:
		return invalid
	}
	last := len(s.open) - 1
	o := s.open[last]
	s.open, s.commas = s.open[:last], o.commas
	if s.skips {
		s.index = s.index[:o.place]
	} else {
		s.index[o.place] = container{at, len(s.index), members}
	}
	return o.state
}

// SyntaxError says where a text is not JSON.
type SyntaxError struct {
	// Offset is where, in bytes.
	Offset int64
	// Found is there, in part, and Expected should be.
	Found, Expected string
}

// newSyntaxError is about the token at that offset, which was read up to next.
func (s *Scanner) newSyntaxError(text []byte, at, next int, before state) *SyntaxError {
	const shown = 20
	want, end := expected[before], at+1
	switch {
	case s.inString || text[at] == '"' && behind[before] != invalid:
		at, end, want = next, next+1, "the rest of a string"
	case before <= firstElement: // may be a word
		end = min(max(next, end), at+shown)
	}
	return &SyntaxError{Offset: int64(at), Found: string(text[at:end]), Expected: want}
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON: found %q at offset %d, expected %s", e.Found, e.Offset, e.Expected)
}

// Index lists the containers of a JSON value, its objects and arrays, in the order in which
// they begin: what a walk along a Go type needs to skip parts, and to make slices and maps of
// the right size. Offsets are from the first byte of the value.
type Index []container

type container struct {
	// end is the offset behind it.
	end int
	// next is the place in the index of the first container that begins behind it.
	next int
	// members is the number of its members.
	members int
}
