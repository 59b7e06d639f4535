package shard

import (
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// By says what of an object is hashed. Objects of the same value are in the same shard. The
// zero value is UID.
type By struct {
	// field is that of a selector; "" for what no server knows.
	field string
	name  string
	value func(metav1.Object) string
}

// UID divides objects evenly. An object that is deleted and made again is another one.
var UID = By{field: "object.metadata.uid", name: "UID", value: func(o metav1.Object) string { return string(o.GetUID()) }}

// Namespace keeps the objects of a namespace together. A namespace with many objects makes
// one shard larger than the others. Objects without one are all in the same shard.
var Namespace = By{field: "object.metadata.namespace", name: "namespace", value: metav1.Object.GetNamespace}

// ByFunc divides objects by the value of a function, such as the UID of the root owner, so
// that owners and what they own meet. Servers do not know it: they send all objects, and
// the informer drops those of other shards, which costs the time to decode them. The
// function must be pure and safe for concurrent use. Name is that of the value, for logs.
func ByFunc(name string, value func(metav1.Object) string) By { return By{name: name, value: value} }

// orUID is b, or UID for the zero value.
func (b By) orUID() By {
	if b.value == nil {
		return UID
	}
	return b
}

// Hash returns the hash of an object.
func (b By) Hash(obj metav1.Object) uint64 { return Hash(b.orUID().value(obj)) }

// HashOf returns the hash of an object with this UID and namespace, for a By that servers
// can select by.
func (b By) HashOf(uid, namespace []byte) uint64 {
	if b.orUID().field == Namespace.field {
		return hash(namespace)
	}
	return hash(uid)
}

// String returns what is hashed, such as "UID".
func (b By) String() string { return b.orUID().name }

// Served reports whether a server can select by it.
func (b By) Served() bool { return b.orUID().field != "" }

// Selector returns the value of metav1.ListOptions.ShardSelector for the objects in ranges:
// "" for all of them, and for a By of which servers know nothing. There is no selector for no
// objects: of the empty set it is "" as well.
func (b By) Selector(ranges Ranges) string {
	field := b.orUID().field
	if field == "" || ranges.Equal(All()) {
		return ""
	}
	terms := make([]string, len(ranges))
	for i, r := range ranges {
		end := "0x10000000000000000" // 2^64
		if r.Last != math.MaxUint64 {
			end = fmt.Sprintf("0x%016x", r.Last+1)
		}
		terms[i] = fmt.Sprintf("shardRange(%s, '0x%016x', '%s')", field, r.First, end)
	}
	return strings.Join(terms, " || ")
}

// Hash returns the hash of a value, that of KEP-5866: FNV-1a with 64 bits.
func Hash(value string) uint64 { return hash(value) }

func hash[T ~string | ~[]byte](value T) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(value) {
		sum = (sum ^ uint64(value[i])) * 1099511628211
	}
	return sum
}
