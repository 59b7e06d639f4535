package shard

import (
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// By says which value of an object is hashed. Objects with the same value are in the same shard. The zero
// value is UID.
type By struct {
	// field is the field in a selector. It is empty if no server can select by the value.
	field string
	name  string
	value func(metav1.Object) string
}

// UID divides objects evenly. An object that is deleted and created again may move to another shard.
var UID = By{field: "object.metadata.uid", name: "UID", value: func(o metav1.Object) string { return string(o.GetUID()) }}

// Namespace keeps the objects of a namespace together. A namespace with many objects makes its shard larger
// than the others. All objects without a namespace are in the same shard.
var Namespace = By{field: "object.metadata.namespace", name: "namespace", value: metav1.Object.GetNamespace}

// ByFunc divides objects by the value that a function returns, such as the UID of the root owner, so that
// an owner and the objects that it owns are in one shard. Servers can't select by it: they send all
// objects, and the informer drops the objects of other shards after it has decoded them. The function must
// be pure and safe for concurrent use. Name names the value in logs.
func ByFunc(name string, value func(metav1.Object) string) By { return By{name: name, value: value} }

// orUID returns b, or UID for the zero value.
func (b By) orUID() By {
	if b.value == nil {
		return UID
	}
	return b
}

// Hash returns the hash of an object.
func (b By) Hash(obj metav1.Object) uint64 { return Hash(b.orUID().value(obj)) }

// HashOf returns the hash of an object with this UID and namespace. It is for a By that servers can select
// by.
func (b By) HashOf(uid, namespace []byte) uint64 {
	if b.orUID().field == Namespace.field {
		return hash(namespace)
	}
	return hash(uid)
}

// String names the hashed value, such as "UID".
func (b By) String() string { return b.orUID().name }

// Served reports whether servers can select by the value.
func (b By) Served() bool { return b.orUID().field != "" }

// Selector returns the value of metav1.ListOptions.ShardSelector for the objects in ranges. It is "" for
// all objects, and if servers can't select by the value. No selector selects nothing: for an empty set
// Selector returns "" as well.
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

// Hash returns the hash of a value as KEP-5866 defines it: FNV-1a with 64 bits.
func Hash(value string) uint64 { return hash(value) }

func hash[T ~string | ~[]byte](value T) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(value) {
		sum = (sum ^ uint64(value[i])) * 1099511628211
	}
	return sum
}
