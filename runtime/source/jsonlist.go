package source

import (
	"bytes"
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

// jsonList reads a list whose members may come in any order.
func (d *decoder) jsonList(body io.Reader, each func(any, error)) (metav1.ListMeta, error) {
	l := jsonListReader{decoder: d, in: newValues(body, d.limit, listBuffer), each: each}
	if err := l.in.object(l.member); err != nil {
		return metav1.ListMeta{}, err
	}
	switch _, err := l.in.peek(); {
	case err == nil:
		return metav1.ListMeta{}, errors.New("bytes after the end of the list")
	case err != io.EOF:
		return metav1.ListMeta{}, err
	}
	if l.head.GroupVersionKind() == statusKind {
		status, err := l.status.status()
		if err == nil {
			err = statusOfList(status)
		}
		return metav1.ListMeta{}, err
	}
	for _, item := range l.waiting {
		l.complete(item.obj, item.err)
	}
	return l.meta, d.check(l.arrived)
}

// jsonListReader reads one list.
type jsonListReader struct {
	*decoder
	in   *values
	each func(any, error)

	arrived
	meta metav1.ListMeta
	// waiting has items that may get their kind or apiVersion from a later member of the list, and
	// all items behind them.
	waiting []listedItem
	// status has what the response may say instead, as a Status.
	status statusMembers
}

// listedItem is an item of a list, or its error.
type listedItem struct {
	obj runtime.Object
	err error
}

// member reads a member of the list.
func (l *jsonListReader) member(name []byte) error {
	switch string(name) {
	case "kind":
		return l.in.text(&l.head.Kind)
	case "apiVersion":
		return l.in.text(&l.head.APIVersion)
	case "metadata":
		return l.in.into(&l.meta)
	case "items":
		if l.items {
			return errors.New("items: more than once")
		}
		l.items = true
		return l.in.array(l.item)
	case "status", "message", "reason", "details", "code":
		return l.statusMember(string(name))
	default:
		return l.in.skip()
	}
}

// statusMember keeps a member that the response has if it is a Status.
func (l *jsonListReader) statusMember(name string) error {
	if l.items || l.head.Kind != "" && l.head.Kind != statusKind.Kind {
		return l.in.skip()
	}
	value, _, err := l.in.value()
	if errors.Is(err, ErrTooLarge) {
		return l.in.skip()
	}
	if l.status == nil {
		l.status = statusMembers{}
	}
	l.status[name] = bytes.Clone(value)
	return err
}

// item reads one item.
func (l *jsonListReader) item() error {
	l.count++
	l.in.setMark()
	raw, index, err := l.in.value()
	if err == nil {
		err = l.in.within()
	}
	if errors.Is(err, ErrTooLarge) {
		name, err := l.in.skipNamed("metadata")
		if err == nil {
			l.deliver(nil, &failure.ObjectError{Object: name, Err: tooLarge(l.in.max)})
		}
		return err
	}
	if err != nil {
		return err
	}
	if l.wants.Wanted != nil && !l.has(decode.JSONMetadata(raw, index)) {
		return nil
	}
	obj, err := l.codec.fromJSON(raw, index, l.wants.Options)
	if err == nil {
		kind := obj.GetObjectKind().GroupVersionKind()
		l.sawItem(kind, l.gv)
		if err := l.codec.checkName(kind.Kind); err != nil {
			return fmt.Errorf("%w of these objects: %s %w", errNotAList, nameOf(obj), err)
		}
	}
	l.deliver(obj, err)
	return nil
}

// deliver calls each for an item, in order, as soon as it is complete.
func (l *jsonListReader) deliver(obj runtime.Object, err error) {
	if l.waiting != nil || err == nil && l.codec.unstructured && (l.head.Kind == "" || l.head.APIVersion == "") && !isWhole(obj) {
		l.waiting = append(l.waiting, listedItem{obj, err})
		if l.wants.LeftOut != nil {
			l.wants.LeftOut("") // the list is not idle
		}
		return
	}
	l.complete(obj, err)
}

// complete calls each for an item. An unstructured item gets from the list what it lacks. A typed one
// loses its kind, as in a watch event.
func (l *jsonListReader) complete(obj runtime.Object, err error) {
	if err != nil {
		l.each(nil, err)
		return
	}
	if l.codec.unstructured {
		fillTypeMeta(obj, l.head)
	} else {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	l.each(obj, nil)
}

// isWhole reports whether an unstructured object has a kind and an apiVersion.
func isWhole(obj runtime.Object) bool {
	content := obj.(runtime.Unstructured).UnstructuredContent()
	return isText(content["kind"]) && isText(content["apiVersion"])
}

// fillTypeMeta gives an unstructured item of a list the kind and the apiVersion that it lacks.
func fillTypeMeta(obj runtime.Object, list runtime.TypeMeta) {
	kind, ok := strings.CutSuffix(list.Kind, "List")
	if !ok || kind == "" || isWhole(obj) {
		return
	}
	u := obj.(runtime.Unstructured)
	content := u.UnstructuredContent()
	if !isText(content["kind"]) {
		content["kind"] = kind
	}
	if !isText(content["apiVersion"]) && list.APIVersion != "" {
		content["apiVersion"] = list.APIVersion
	}
	u.SetUnstructuredContent(content)
}

func isText(value any) bool {
	text, _ := value.(string)
	return text != ""
}
