package source

import (
	stdjson "encoding/json"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	clientgo "k8s.io/client-go/tools/cache"
)

// typed are the options under which the fast decoder means what client-go's
// does: those of encoding/json, but for case-sensitive names. Errors are not
// reported as there, since that costs a second pass over every value, and
// client-go's decoder has the last word on them.
var typed = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
	jsonv1.ReportErrorsWithLegacySemantics(false),
)

// dynamic is for types with fields of type any, whose numbers are int64 where
// they can be. It is apart because asking for it slows down every field.
var dynamic = json.JoinOptions(typed, json.WithUnmarshalers(json.UnmarshalFromFunc(
	func(dec *jsontext.Decoder, value *any) error {
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return utiljson.Unmarshal(raw, value)
	})))

// optionsOf returns the options to decode a t with.
func optionsOf(t reflect.Type) json.Options {
	if holdsAny(t, map[reflect.Type]bool{}) {
		return dynamic
	}
	return typed
}

var unmarshaler = reflect.TypeFor[stdjson.Unmarshaler]()

// holdsAny says whether decoding a t may come to a value of type any. What
// decodes itself does not count.
func holdsAny(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || reflect.PointerTo(t).Implements(unmarshaler) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return t.NumMethod() == 0
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsAny(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); (f.IsExported() || f.Anonymous) && holdsAny(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// nameInJSON finds the name of an object that could not be decoded.
func nameInJSON(data []byte) string {
	var object struct {
		Metadata struct {
			Namespace, Name any
		} `json:"metadata"`
	}
	// encoding/json goes on after a value of the wrong type.
	_ = stdjson.Unmarshal(data, &object)
	namespace, _ := object.Metadata.Namespace.(string)
	name, _ := object.Metadata.Name.(string)
	return clientgo.NewObjectName(namespace, name).String()
}
