package source

import (
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// listBuffer is the number of bytes of a list that are read from the connection at once.
const listBuffer = 32 << 10

// jsonList reads a list whose fields may come in any order.
func (d *decoder) jsonList(body io.Reader, each func(any, error)) (metav1.ListMeta, error) {
	var (
		in    = newValues(body, d.limit, listBuffer)
		head  runtime.TypeMeta
		meta  metav1.ListMeta
		items bool
		count int
	)
	err := in.object(func(name []byte) error {
		switch string(name) {
		case "kind":
			return in.text(&head.Kind)
		case "apiVersion":
			return in.text(&head.APIVersion)
		case "metadata":
			return in.into(&meta)
		case "items":
			if items {
				return errors.New("items: more than once")
			}
			items = true
			return in.array(func() error {
				count++
				return d.jsonItem(in, head, each)
			})
		default:
			return in.skip()
		}
	})
	if err != nil {
		return metav1.ListMeta{}, err
	}
	switch _, err := in.peek(); {
	case err == nil:
		return metav1.ListMeta{}, errors.New("bytes after the end of the list")
	case err != io.EOF:
		return metav1.ListMeta{}, err
	}
	return meta, d.codec.checkList(head, items, count)
}

// jsonItem reads one item. Those of an unstructured list get the kind that is
// meant by the list's, as client-go has it, provided that came before.
func (d *decoder) jsonItem(in *values, list runtime.TypeMeta, each func(any, error)) error {
	raw, index, err := in.value()
	if errors.Is(err, ErrTooLarge) {
		name, err := in.skipNamed("metadata")
		if err == nil {
			each(nil, &failure.ObjectError{Object: name, Err: tooLarge(in.max)})
		}
		return err
	}
	if err != nil {
		return err
	}
	if d.wants.Wanted != nil && !d.has(decode.JSONMetadata(raw, index)) {
		return nil
	}
	c := d.codec
	obj, err := c.fromJSON(raw, index, d.wants.Options)
	switch {
	case err != nil:
	case c.unstructured:
		setKind(obj, list)
	case c.metadataOnly:
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // is that of no object
	default:
		if err := c.checkName(obj.GetObjectKind().GroupVersionKind().Kind); err != nil {
			return fmt.Errorf("%w of these objects: %s %w", errNotAList, nameOf(obj), err)
		}
	}
	each(obj, err)
	return nil
}

func setKind(obj runtime.Object, list runtime.TypeMeta) {
	kind := obj.GetObjectKind()
	itemKind, ok := strings.CutSuffix(list.Kind, "List")
	if ok && itemKind != "" && kind.GroupVersionKind().Kind == "" {
		kind.SetGroupVersionKind(schema.FromAPIVersionAndKind(list.APIVersion, itemKind))
	}
}

// checkList refuses what is not a list: the response of a proxy, for example, must not be taken
// for an empty one. A list has items, or the kind of a list.
func (c *codec) checkList(head runtime.TypeMeta, items bool, count int) error {
	if err := checkKind(head.GroupVersionKind()); err != nil {
		return fmt.Errorf("%w: %w", errNotAList, err)
	}
	if !items && !strings.HasSuffix(head.Kind, "List") {
		return fmt.Errorf("%w: kind %q without items", errNotAList, head.Kind)
	}
	return c.checkListKind(head.Kind, count)
}

// checkListKind refuses an empty list of another kind than lists of these objects have had,
// which would delete all. A CRD may name the kind of its lists as it likes: the objects in a list
// show that it is one of theirs.
func (c *codec) checkListKind(kind string, count int) error {
	switch known := c.listKind.Load(); {
	case c.object == nil || kind == "" || kind == "List" || kind == c.object.Name()+"List":
	case count > 0 || !c.named.Load():
		if known == nil || *known != kind {
			c.listKind.Store(&kind)
		}
	case known == nil || *known != kind:
		return fmt.Errorf("%w of these objects: an empty %s, where objects are of the kind %s", errNotAList, kind, c.object.Name())
	}
	return nil
}
