package decode

import (
	"encoding/binary"
	"math/bits"
)

// plainEnd returns the offset of the first byte from there on that is no plain content of a
// string: a quote, a backslash or a control character; or the end of the text.
func plainEnd(text []byte, at int) int {
	for ; len(text)-at >= 16; at += 16 {
		// Both words at once: most strings end within them, and where they do can't be
		// predicted.
		both := text[at : at+16]
		stops, second := notPlain(binary.LittleEndian.Uint64(both)), notPlain(binary.LittleEndian.Uint64(both[8:]))
		if stops|second == 0 {
			continue
		}
		if stops == 0 {
			stops = second
			at += 8
		}
		return at + bits.TrailingZeros64(stops)/8
	}
	for at < len(text) && text[at] != '"' && text[at] != '\\' && text[at] >= ' ' {
		at++
	}
	return at
}

// notPlain has the highest bit of each byte of a word that is no plain content of a string,
// up to the first at least. A subtraction borrows from the bytes above only where a byte is
// what is looked for.
func notPlain(word uint64) uint64 {
	const each = 0x0101010101010101
	// This exchanges quote and space: then the quote is less than 0x21, as what is less
	// than space.
	quote := word ^ 2*each
	backslash := word ^ '\\'*each
	return ((quote-0x21*each)&^quote | (backslash-each)&^backslash) & (0x80 * each)
}

// stringEnd reads the content of a string from there on. It returns the offset behind its
// quote and complete, or how far it could read and partial, or where it is invalid.
func stringEnd(text []byte, at int) (int, state) {
	for {
		if at = plainEnd(text, at); at == len(text) {
			return at, partial
		}
		switch text[at] {
		case '"':
			return at + 1, complete
		case '\\':
			length := escapeLength(text[at:])
			if length <= 0 {
				return at, [...]state{partial, invalid}[-length]
			}
			at += length
		default:
			return at, invalid
		}
	}
}

// endOfString returns the offset behind the string that begins there, which must be valid.
func endOfString(text []byte, begin int) int {
	end, _ := stringEnd(text, begin+1)
	return end
}

func opens(c byte) bool { return c == '{' || c == '[' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// escapeLength returns the length of the escape that a text begins with, 0 if the text ends
// within it, or -1 if it is invalid.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for i := 2; i < 6; i++ {
			if i == len(text) {
				return 0
			}
			if c := text[i]; !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return -1
			}
		}
		return 6
	}
	return -1
}

// wordEnd returns the offset of the first byte from there on that is in no number or literal.
func wordEnd(text []byte, at int) int {
	for at < len(text) {
		switch c := text[at]; {
		case isDigit(c), c|0x20 >= 'a' && c|0x20 <= 'z', c == '-', c == '+', c == '.':
			at++
		default:
			return at
		}
	}
	return at
}

// isWord reports whether a text is null, true, false or a number.
func isWord(text []byte) bool {
	switch string(text) {
	case "null", "true", "false":
		return true
	}
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	integer := digits(text)
	if integer == 0 || integer > 1 && text[0] == '0' {
		return false
	}
	text = text[integer:]
	if len(text) > 0 && text[0] == '.' {
		fraction := digits(text[1:])
		if fraction == 0 {
			return false
		}
		text = text[1+fraction:]
	}
	if len(text) == 0 || text[0]|0x20 != 'e' {
		return len(text) == 0
	}
	text = text[1:]
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return len(text) > 0 && digits(text) == len(text)
}

// digits returns how many digits a text begins with.
func digits(text []byte) int {
	for i, c := range text {
		if !isDigit(c) {
			return i
		}
	}
	return len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
