package collect

import (
	"bytes"
	"go/token"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// Rules say what matters in sources with API types.
var Rules = load.Rules{
	Ours:       header.IsOurs,
	Sign:       func(source []byte) bool { return containsAny(source, signs) },
	MayDeclare: mayDeclare,
	Defers: func(source []byte) bool {
		return (header.IsGenerated(source) || isSwaggerDoc(source)) && !containsAny(source, marks)
	},
	HasMethod: hasObjectMethod,
	Methods:   copyMethods,
	Words:     []string{kubebuilderTags, ownTags},
	Keeps:     mentionsTag,
	Opaque:    fields.MetaPackage,
	Known:     []string{"TypeMeta", "ObjectMeta", "ListMeta"},
}

// copyMethods are the methods of deep copies.
var copyMethods = []string{"DeepCopyInto", "DeepCopy", "DeepCopyObject"}

// kubebuilderTags begin the tags for controller-gen, which makes the CRDs of a package that has some.
const kubebuilderTags = "+kubebuilder:"

// signs of API types: a package that only a pattern with ... matches and that
// has none of them, nor a struct that embeds ObjectMeta, is not parsed.
var signs = [][]byte{[]byte("+genclient"), []byte("+kubebuilder:object:root"), []byte("+kubebuilder:resource"), []byte("+kubebuilder:subresource"),
	[]byte("+kubebuilder:printcolumn"), []byte("+kubebuilder:storageversion"), []byte("+" + ownTags)}

// marks are the words for which a generated file is parsed at once.
var marks = [][]byte{[]byte("+genclient"), []byte("+kubebuilder:"), []byte("+groupName"), []byte("+groupGoName"), []byte("+versionName"), []byte("+k8s:"), []byte("GroupVersion{")}

// mayDeclare reports whether a source may declare an API type.
func mayDeclare(source []byte) bool {
	return containsAny(source, signs) || embedsObjectMeta(source)
}

// embedsObjectMeta reports whether a line of a source may be an embedded
// ObjectMeta: controllers name it in expressions, which are no signs.
func embedsObjectMeta(source []byte) bool {
	name := []byte("ObjectMeta")
	for rest := source; ; {
		i := bytes.Index(rest, name)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(name):]
		before = before[bytes.LastIndexByte(before, '\n')+1:]
		if end := bytes.IndexByte(after, '\n'); end >= 0 {
			after = after[:end]
		}
		before = before[bytes.LastIndexAny(before, "{;")+1:]
		before, after = bytes.TrimSpace(before), bytes.TrimSpace(after)
		alone := len(after) == 0 || after[0] == '`' || after[0] == '"' || after[0] == '/' || after[0] == '}' || after[0] == ';'
		qualifier := bytes.TrimSuffix(before, []byte("."))
		if alone && (len(before) == 0 || len(qualifier) < len(before) && token.IsIdentifier(string(qualifier))) {
			return true
		}
		rest = rest[i+len(name):]
	}
}

func containsAny(source []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.Contains(source, word) })
}

// isSwaggerDoc reports whether a source documents types for Swagger. Kubernetes'
// generator of these files marks them in words of its own.
func isSwaggerDoc(source []byte) bool {
	return bytes.Contains(source, []byte("\n// AUTO-GENERATED FUNCTIONS START HERE"))
}
