package statuspage

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// found is an object of a store.
type found struct {
	Informer        string     `json:"informer"`
	ResourceVersion string     `json:"resourceVersion"`
	UID             string     `json:"uid,omitempty"`
	Generation      int64      `json:"generation,omitempty"`
	Created         time.Time  `json:"created,omitzero"`
	Deleting        *time.Time `json:"deleting,omitempty"`
	// Content is the object, if it may be shown. Otherwise Withheld says why it may not.
	Content  json.RawMessage `json:"content,omitempty"`
	Withheld string          `json:"withheld,omitempty"`
}

// find describes objects, in the order of their informers.
func (o Options) find(objects map[string]any) []found {
	all := []found{}
	for _, informer := range slices.Sorted(maps.Keys(objects)) {
		f := found{Informer: informer}
		obj := objects[informer]
		if m, err := meta.Accessor(obj); err == nil {
			f.ResourceVersion, f.UID, f.Generation = m.GetResourceVersion(), string(m.GetUID()), m.GetGeneration()
			f.Created = m.GetCreationTimestamp().Time
			if at := m.GetDeletionTimestamp(); at != nil {
				f.Deleting = &at.Time
			}
		}
		if o.Contents {
			f.Content, f.Withheld = o.content(informer, obj)
		}
		all = append(all, f)
	}
	return all
}

// leftOut returns, by informer, why an object is left out or may be left out.
func leftOut(name string, informers []cache.Status) map[string]string {
	all := map[string]string{}
	for _, s := range informers {
		reason, known := s.LeftOutObjects[name]
		nameless, some := s.LeftOutObjects[""]
		switch more := s.LeftOut - len(s.LeftOutObjects); {
		case known:
			all[s.Name] = reason
		case more > 0:
			all[s.Name] = "maybe, as one of " + plural(more, "object") + " that only the log names"
		case some:
			all[s.Name] = "maybe, as an object whose name is not known: " + nameless
		}
	}
	return all
}

// content returns the JSON of an object, or the reason why it must not be shown.
func (o Options) content(informer string, obj any) (content json.RawMessage, withheld string) {
	switch {
	case isSecret(informer, obj):
		return nil, "secrets are never shown"
	case o.Exclude != nil && o.Exclude(obj):
		return nil, "excluded by the program"
	}
	if object, ok := obj.(runtime.Object); ok {
		copied := object.DeepCopyObject()
		if m, err := meta.Accessor(copied); err == nil {
			m.SetManagedFields(nil)
		}
		obj = copied
	}
	content, err := json.MarshalIndent(obj, "", "  ")
	if err != nil {
		return nil, fmt.Sprintf("no JSON of it: %v", err)
	}
	return content, ""
}

// secretInformer matches the name of an informer of Secrets, whatever the type of its objects.
var secretInformer = regexp.MustCompile(`^secrets\.v[0-9a-z]+(/|$)`)

// isSecret reports whether an object may be a Secret. It judges the Go type, which may be a slim one, the
// kind, which objects of any type may have, and the informer.
func isSecret(informer string, obj any) bool {
	of := reflect.TypeOf(obj)
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of != nil && strings.Contains(of.Name(), "Secret") {
		return true
	}
	if object, ok := obj.(runtime.Object); ok && strings.Contains(object.GetObjectKind().GroupVersionKind().Kind, "Secret") {
		return true
	}
	return secretInformer.MatchString(informer) || strings.Contains(informer, "Secret")
}
