package decode

import (
	"encoding/binary"
	"math/bits"
)

// plainEnd returns the offset of the first special byte of a string's content, from at on. Special bytes
// are a quote, a backslash and control characters. If there is none, it returns the end of the text.
func plainEnd(text []byte, at int) int {
	for ; len(text)-at >= 16; at += 16 {
		// Both words at once: most strings end within them, at places that can't be predicted.
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

// notPlain returns a word with the highest bit of each byte set that is special in a string's content. It
// is right up to the first such byte, since a subtraction borrows from higher bytes only at a special byte.
func notPlain(word uint64) uint64 {
	const each = 0x0101010101010101
	// This exchanges quote and space. Then the quote is less than 0x21, like the control characters.
	quote := word ^ 2*each
	backslash := word ^ '\\'*each
	return ((quote-0x21*each)&^quote | (backslash-each)&^backslash) & (0x80 * each)
}

// stringEnd reads the content of a string from at on. It returns the offset after its quote and complete,
// or the offset that it could reach and partial, or the offset of an invalid byte.
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

// endOfString returns the offset after the string that begins at an offset. The string must be valid.
func endOfString(text []byte, begin int) int {
	end, _ := stringEnd(text, begin+1)
	return end
}

func opens(c byte) bool { return c == '{' || c == '[' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// escapeLength returns the length of the escape at the beginning of a text, 0 if the text ends within it,
// or -1 if it is invalid.
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

// wordEnd returns the offset of the first byte, from at on, that belongs to no number or literal.
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

// digits returns the number of digits at the beginning of a text.
func digits(text []byte) int {
	for i, c := range text {
		if !isDigit(c) {
			return i
		}
	}
	return len(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
