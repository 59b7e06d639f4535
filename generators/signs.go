package generators

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"slices"
)

// metaPackage declares ObjectMeta, TypeMeta and ListMeta.
const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// apiRules say what matters in sources with API types.
var apiRules = rules{
	ours:       hasHeader,
	sign:       func(source []byte) bool { return containsAny(source, signs) },
	mayDeclare: mayDeclare,
	defers: func(source []byte) bool {
		return (isGenerated(source) || isSwaggerDoc(source)) && !containsAny(source, marks)
	},
	hasMethod: hasObjectMethod,
	methods:   slices.Concat(copyMethods, decodeMethods),
	words:     []string{kubebuilderTags, "+" + ownTags},
	keeps:     mentionsTag,
	opaque:    metaPackage,
}

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

// isGenerated reports whether a source says that it is generated, which it must
// above its package clause.
func isGenerated(source []byte) bool {
	if i := bytes.Index(source, []byte("\npackage ")); i >= 0 {
		source = source[:i]
	}
	for line := range bytes.Lines(source) {
		rest, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("// Code generated "))
		if ok && bytes.HasSuffix(rest, []byte(" DO NOT EDIT.")) {
			return true
		}
	}
	return false
}

// isSwaggerDoc reports whether a source documents types for Swagger. Kubernetes'
// generator of these files marks them in words of its own.
func isSwaggerDoc(source []byte) bool {
	return bytes.Contains(source, []byte("\n// AUTO-GENERATED FUNCTIONS START HERE"))
}

// hasSigns reports whether a file below a directory has a sign of API types, as far as it
// was looked into when the context ended.
func (l *loader) hasSigns(root string) bool {
	found := false
	_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error { // what can't be read has none
		switch {
		case found, l.ctx.Err() != nil:
			return filepath.SkipAll
		case err == nil && entry.IsDir() && path != root && ignored(entry.Name()):
			return filepath.SkipDir
		case err == nil && !entry.IsDir() && isGoFile(filepath.Dir(path), entry):
			source, err := os.ReadFile(path)
			found = err == nil && l.rules.sign(source) && !l.rules.ours(source)
		}
		return nil
	})
	return found
}
