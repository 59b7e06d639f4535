package decode

import "fmt"

// Scanner reads a JSON value that comes in pieces, each byte once. It checks that the value is valid (RFC
// 8259), finds its end, and builds its index. As for client-go, strings need not be valid UTF-8, and names
// may appear twice. The zero value is ready.
//
//	text ─► tokens ─► state: may the token be here? ─► containers that are open ─► index
type Scanner struct {
	index Index
	state state
	// open holds the containers that have not ended, and commas counts the commas of the innermost one.
	open   []opened
	commas int
	// at is the beginning of the incomplete token, and within the offset up to which it was read.
	at, within int
	// inString reports whether the incomplete token is a string.
	inString bool
	// skips reports whether the value is skipped: then the index has only the open containers.
	skips bool
}

// opened is a container that has not ended.
type opened struct {
	place int // in the index
	// commas and state are restored after the container.
	commas int
	state  state
}

// keptIndex is the size of the largest index whose memory is reused.
const keptIndex = 1 << 14

// maxDepth limits how deeply containers are nested, as in encoding/json.
const maxDepth = 10_000

// state says what must come next.
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
	// The states below end a call of Scan.
	complete
	invalid
	// The token continues after the text.
	partial
	partialString
)

// expected describes states in errors.
var expected = [...]string{
	topValue: "a value", memberValue: "a value", element: "a value", firstElement: `a value or "]"`,
	memberName: "a name", firstName: `a name or "}"`, colon: `":"`,
	afterMember: `"," or "}"`, afterElement: `"," or "]"`,
}

// behind has the state after a value or a name, by the state before it.
var behind = [...]state{
	topValue: complete, memberValue: afterMember, element: afterElement, firstElement: afterElement,
	memberName: colon, firstName: colon,
	colon: invalid, afterMember: invalid, afterElement: invalid,
}

// afterComma has the state after a comma, by the state before it.
var afterComma = [...]state{
	topValue: invalid, memberValue: invalid, element: invalid, firstElement: invalid,
	memberName: invalid, firstName: invalid, colon: invalid,
	afterMember: memberName, afterElement: element,
}

// Reset prepares the Scanner for another value. It invalidates the index of the last one.
func (s *Scanner) Reset() {
	s.index, s.open = s.index[:0], s.open[:0]
	if cap(s.index) > keptIndex {
		s.index = nil
	}
	s.state, s.commas, s.at, s.within, s.inString, s.skips = topValue, 0, 0, 0, false, false
}

// ResetToSkip is Reset for a value that is not needed: it has no index, and Discard may be called.
func (s *Scanner) ResetToSkip() {
	s.Reset()
	s.skips = true
}

// Index returns the index of the value, once the value has ended. It is valid until the next Reset.
func (s *Scanner) Index() Index { return s.index }

// Scan reads text from where the last call has ended: text has everything that it had then, and what has
// come since. Scan returns the offset after the value, or 0 if the value has not ended. A number or literal
// ends only with the byte after it. The error is a *SyntaxError.
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

// Discard makes the Scanner independent of the first bytes of the text, and returns how many these are. The
// next call of Scan gets the text after them. That text has at most the beginning of a number or literal.
// The value must be one to skip.
func (s *Scanner) Discard() int {
	n := s.at
	if s.inString {
		n = s.within
	}
	s.at, s.within = 0, max(0, s.within-n)
	return n
}

// escaped continues to read a string. It returns the offset reached, and the state then.
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

// word reads a number, true, false or null. It returns the offset reached, and the state then.
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

// begin starts a container with the first byte c.
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

// end ends the innermost container at an offset. c is its last byte.
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
	// Offset is the position of the error, in bytes.
	Offset int64
	// Found is the beginning of the text there, and Expected what should be there.
	Found, Expected string
}

// newSyntaxError returns the error for the token at an offset, which was read up to next.
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

// Index lists the containers of a JSON value, its objects and arrays, in the order of their beginnings. A
// walk along a Go type needs it to skip parts, and to make slices and maps of the right size. Offsets count
// from the first byte of the value.
type Index []container

type container struct {
	// end is the offset after the container.
	end int
	// next is the place in the index of the first container that begins after this one.
	next int
	// members is the number of its members.
	members int
}
