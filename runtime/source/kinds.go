package source

import (
	"cmp"
	"fmt"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// kinds remembers which kind the objects of a resource have, and which their lists: what watch events
// and the lists that counted have shown. It is safe for concurrent use.
type kinds struct {
	objects atomic.Pointer[string]
	lists   atomic.Pointer[decoding.TypeMeta]
}

// sawObject notes the kind of an object; "" is none.
func (k *kinds) sawObject(kind string) {
	if known := k.objects.Load(); kind != "" && (known == nil || *known != kind) {
		k.objects.Store(&kind)
	}
}

// judge returns the error of a list that the informer refuses, if it judges lists.
func (k *kinds) judge(request decoding.Request, l decoding.List) error {
	if request.Judge == nil {
		return nil
	}
	if l.Own.Kind == "List" { // of any objects
		l.Own = decoding.TypeMeta{}
	}
	if objects := k.objects.Load(); objects != nil {
		l.Objects = cmp.Or(l.Objects, *objects)
	}
	if lists := k.lists.Load(); lists != nil {
		l.Earlier = *lists
	} else if l.Objects != "" {
		l.Earlier.Kind = l.Objects + "List" // watch events say it for the lists
	}
	l.Learn = func() {
		own := l.Own
		if own.Kind == "" && l.Item != "" {
			own.Kind = l.Item + "List" // an item says it for the list
		}
		k.lists.Store(&own)
		k.sawObject(l.Item)
	}
	if err := request.Judge(l); err != nil {
		return verdict{err}
	}
	return nil
}

// arrived is a list that has arrived, as far as it says what it is.
type arrived struct {
	head runtime.TypeMeta
	// items reports whether the list has the member items, and count is their number.
	items bool
	count int
	// item is the first kind that an item of the requested group and version says.
	item string
}

// sawItem notes the kind of an item.
func (a *arrived) sawItem(kind schema.GroupVersionKind, requested schema.GroupVersion) {
	if a.item == "" && (requested.Empty() || kind.GroupVersion() == requested || kind.GroupKind() == metadataKind) {
		a.item = kind.Kind
	}
}

// check refuses what is not a list: the response of a proxy, for example, must not be taken
// for an empty one. A list has items, or the kind of a list. What it proves, the informer judges.
func (d *decoder) check(a arrived) error {
	c, kind := d.codec, a.head.GroupVersionKind()
	if err := checkKind(kind); err != nil {
		return fmt.Errorf("%w: %w", errNotAList, err)
	}
	if !a.items && !strings.HasSuffix(kind.Kind, "List") {
		return fmt.Errorf("%w: kind %q without items", errNotAList, kind.Kind)
	}
	l := decoding.List{Own: decoding.TypeMeta(a.head), Item: a.item, Items: a.count, Requested: d.gv.String()}
	switch own := c.object.Name(); {
	case c.metadataOnly:
		l.Objects = a.item // the kind of the metadata, or of the objects of an older server
		if kind.Group == metadataKind.Group {
			l.Own.APIVersion = l.Requested
		}
	case c.named.Load() || kind.Kind == own+"List":
		l.Objects = own
	}
	return c.kinds.judge(d.wants, l)
}
