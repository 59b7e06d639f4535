package source

import (
	"github.com/informer-gen/informer-gen/runtime/cache"
)

// described has the method Describe of a source.
type described struct{ info cache.SourceInfo }

func (d described) Describe() cache.SourceInfo { return d.info }

// infoOf returns the description of a source that wraps another, with around called for each
// part of it if it has several namespaces.
func infoOf(src cache.Objects, around func(part cache.Objects, namespace string) cache.Objects) cache.SourceInfo {
	info := src.Describe()
	if in := info.In; in != nil {
		info.In = func(namespace string) cache.Objects { return around(in(namespace), namespace) }
	}
	return info
}
