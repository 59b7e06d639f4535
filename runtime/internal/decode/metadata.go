package decode

// Metadata has the fields of an object's metadata that can be read without decoding it. The slices are
// parts of the text.
type Metadata struct{ Name, UID, Namespace, ResourceVersion []byte }

// JSONMetadata reads the metadata of an object in JSON, by the object's index. It returns false if there is
// no UID, or if a value has escapes: then the object must be decoded. It leaves out the name, which may
// have escapes.
func JSONMetadata(text []byte, x Index) (m Metadata, ok bool) {
	if text[0] != '{' {
		return m, false
	}
	w := walk{index: x, text: text}
	for range w.open() {
		if string(w.name()) == "metadata" {
			return w.metadata()
		}
		w.skip()
		w.after()
	}
	return m, false
}

// metadata reads the metadata at the present place.
func (w *walk) metadata() (m Metadata, ok bool) {
	if w.text[w.at] != '{' {
		return m, false
	}
	for range w.open() {
		name, value := w.name(), w.skip()
		w.after()
		var field *[]byte
		switch string(name) {
		case "uid":
			field = &m.UID
		case "namespace":
			field = &m.Namespace
		case "resourceVersion":
			field = &m.ResourceVersion
		default:
			continue
		}
		if value[0] != '"' || !isPlain(value) {
			return m, false
		}
		*field = value[1 : len(value)-1]
	}
	return m, len(m.UID) > 0
}

// ProtoMetadata is JSONMetadata for a message of k8s.io/api. The metadata is its first field. If the
// message is cut off or damaged, it returns false and the fields before the damage. The last field may then
// be cut off.
func ProtoMetadata(message []byte) (m Metadata, ok bool) {
	const metadata, name, namespace, uid, resourceVersion = 1, 1, 3, 5, 6
	for number, object := range Contents(message) {
		if number != metadata {
			continue
		}
		for number, value := range Contents(object) {
			switch number {
			case 0:
				return m, false
			case name:
				m.Name = value
			case namespace:
				m.Namespace = value
			case uid:
				m.UID = value
			case resourceVersion:
				m.ResourceVersion = value
			}
		}
		break
	}
	return m, len(m.UID) > 0
}
