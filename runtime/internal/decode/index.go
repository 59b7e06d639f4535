package decode

import "bytes"

// container is an object or array in a text.
type container struct {
	// end is the offset behind it.
	end int
	// next is the place in the index of the first container that begins behind it.
	next int
	// members is the number of its members.
	members int
}

// index lists the containers of a text, in the order in which they begin.
type index struct {
	containers []container
	open       []int // the places of those that have not ended
}

// build makes it the index of a text, which must be valid JSON.
func (x *index) build(text []byte) {
	x.containers, x.open = x.containers[:0], x.open[:0]
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i) - 1
		case '{', '[':
			x.open = append(x.open, len(x.containers))
			x.containers = append(x.containers, container{})
		case ',':
			x.containers[x.open[len(x.open)-1]].members++
		case '}', ']':
			c := &x.containers[x.open[len(x.open)-1]]
			x.open = x.open[:len(x.open)-1]
			c.end, c.next = i+1, len(x.containers)
			if c.members > 0 || !opens(lastBefore(text, i)) {
				c.members++
			}
		}
	}
}

// endOfString returns the offset behind the string that begins there.
func endOfString(text []byte, begin int) int {
	for at := begin + 1; ; at++ {
		at += bytes.IndexByte(text[at:], '"')
		escapes := at
		for text[escapes-1] == '\\' {
			escapes--
		}
		if (at-escapes)%2 == 0 {
			return at + 1
		}
	}
}

// lastBefore returns what is before that offset, but for white space.
func lastBefore(text []byte, at int) byte {
	for at--; isSpace(text[at]); at-- {
	}
	return text[at]
}

func opens(c byte) bool { return c == '{' || c == '[' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
