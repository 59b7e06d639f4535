package decode

import (
	"bytes"
	"encoding/binary"
)

// Metadata is what of an object's metadata can be read without decoding it. The slices are
// of the text.
type Metadata struct{ UID, Namespace, ResourceVersion []byte }

// JSONMetadata reads the metadata of an object in valid JSON. It returns false if it does not
// find a UID, or one of the values is not plain: then the object has to be decoded.
func JSONMetadata(text []byte) (m Metadata, ok bool) {
	plain := true
	members(text, func(name, value []byte) bool {
		if string(name) != "metadata" {
			return true
		}
		members(value, func(name, value []byte) bool {
			var field *[]byte
			switch string(name) {
			case "uid":
				field = &m.UID
			case "namespace":
				field = &m.Namespace
			case "resourceVersion":
				field = &m.ResourceVersion
			default:
				return true
			}
			if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
				plain = false
				return false
			}
			*field = value[1 : len(value)-1]
			return true
		})
		return false
	})
	return m, plain && len(m.UID) > 0
}

// members calls each with the members of an object in valid JSON, their names as they are
// written, until it returns false.
func members(text []byte, each func(name, value []byte) bool) {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != '{' {
		return
	}
	for at = skipSpace(text, at+1); at < len(text) && text[at] == '"'; {
		end := endOfValue(text, at)
		name := text[at+1 : end-1]
		at = skipSpace(text, skipSpace(text, end)+1) // past the colon
		end = endOfValue(text, at)
		if end > len(text) || !each(name, text[at:end]) {
			return
		}
		if at = skipSpace(text, end); at < len(text) && text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	return at
}

// endOfValue returns where the value ends that begins there, in valid JSON.
func endOfValue(text []byte, at int) int {
	for depth := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"':
			at = endOfString(text, at) - 1
		case opens(c):
			depth++
			continue
		case c == '}' || c == ']':
			depth--
		case depth > 0:
			continue
		default: // a number or a literal
			for at < len(text) && !endsLiteral(text[at]) {
				at++
			}
			at--
		}
		if depth == 0 {
			return at + 1
		}
	}
	return len(text)
}

// ProtoMetadata is JSONMetadata for a message of k8s.io/api, in which the metadata are the
// first field.
func ProtoMetadata(message []byte) (m Metadata, ok bool) {
	const metadata, namespace, uid, resourceVersion = 1, 3, 5, 6
	fields(message, func(number uint64, value []byte) bool {
		if number != metadata {
			return true
		}
		fields(value, func(number uint64, value []byte) bool {
			switch number {
			case namespace:
				m.Namespace = value
			case uid:
				m.UID = value
			case resourceVersion:
				m.ResourceVersion = value
			}
			return true
		})
		return false
	})
	return m, len(m.UID) > 0
}

// fields calls each with the fields of a message that are bytes, until it returns false or
// what follows is not valid.
func fields(message []byte, each func(number uint64, value []byte) bool) {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return
		}
		message = message[n:]
		size := uint64(0)
		switch tag & 7 {
		case 0:
			if _, n = binary.Uvarint(message); n <= 0 {
				return
			}
			size = uint64(n)
		case 1:
			size = 8
		case 5:
			size = 4
		case 2:
			if size, n = binary.Uvarint(message); n <= 0 {
				return
			}
			message = message[n:]
		default:
			return
		}
		if size > uint64(len(message)) || tag&7 == 2 && !each(tag>>3, message[:size]) {
			return
		}
		message = message[size:]
	}
}
