package protocol

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
)

// Origin is the identity and version of an object as the server sent it.
type Origin struct {
	UID             types.UID
	ResourceVersion string
}

// OriginOf returns the origin of an untransformed object. It is empty for an object without metadata.
func OriginOf(obj any) Origin {
	m, err := meta.Accessor(obj)
	if err != nil {
		return Origin{}
	}
	return Origin{m.GetUID(), m.GetResourceVersion()}
}

// Sent is the metadata by which informers distinguish the states of objects, as the server sent it.
type Sent struct {
	Origin
	// Deleting reports whether the object has a deletionTimestamp.
	Deleting bool
}

// SentOf returns that metadata of an untransformed object. It returns false for an object without metadata.
func SentOf(obj any) (Sent, bool) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return Sent{}, false
	}
	return Sent{Origin{m.GetUID(), m.GetResourceVersion()}, m.GetDeletionTimestamp() != nil}, true
}

// Received is an object of a server, in the form in which it is stored.
type Received struct {
	Object any
	// Sent is nil if Object still has that metadata, which is the common case.
	Sent *Sent
}

// Transformed returns the result obj of a transform, for an object that was sent with the given metadata.
func Transformed(obj any, sent Sent) Received {
	if left, _ := SentOf(obj); left == sent {
		return Received{Object: obj}
	}
	kept := sent // the common case needs no memory
	return Received{obj, &kept}
}

// Origin returns the origin of the object.
func (r *Received) Origin() Origin {
	if r.Sent != nil {
		return r.Sent.Origin
	}
	return OriginOf(r.Object)
}

// Recreated reports whether an untransformed object is known to be another one than the stored object of
// its name.
func Recreated(stored Received, obj any) bool {
	before, now := stored.Origin().UID, OriginOf(obj).UID
	return before != "" && now != "" && before != now
}

// Metadata returns the metadata that the server sent. It returns false if there was none.
func (r *Received) Metadata() (Sent, bool) {
	if r.Sent != nil {
		return *r.Sent, true
	}
	return SentOf(r.Object)
}
