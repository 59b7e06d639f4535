package cache

import "slices"

// versionSample decides from the first objects of a list whether their versions tell
// one state from another, as those of a server do that keeps its objects in etcd: no
// two objects have one version, and none is later than the list. Aggregated APIs and
// tests may count each object by itself, or have one version for all. Of a single
// object nothing can be told.
type versionSample struct {
	versions []string
}

const sampledVersions = 16

func (s *versionSample) add(obj any) {
	if len(s.versions) < sampledVersions {
		s.versions = append(s.versions, resourceVersionOf(obj))
	}
}

// sameness is what later lists are to compare, after a list of that version.
func (s *versionSample) sameness(listVersion string) sameness {
	if len(s.versions) < 2 {
		return sameContent
	}
	slices.Sort(s.versions)
	for i, version := range s.versions {
		if newer(version, listVersion) || i > 0 && version == s.versions[i-1] {
			return sameContent
		}
	}
	return sameVersion
}
