package decode

import (
	"bytes"
	stdjson "encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

var (
	readersDuration = flag.Duration("duration", time.Second, "how long objects are decoded while others are read")
	readersSeed     = flag.Int64("seed", 0, "the seed of the objects that are decoded while others are read; 0 is any")
)

// widget is a custom resource with what its readers write to, and bytes, in many places.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   widgetSpec `json:"spec"`
	Status struct {
		Used    map[string]resource.Quantity `json:"used,omitempty"`
		Message string                       `json:"message,omitempty"`
		Since   metav1.Time                  `json:"since,omitempty"`
	} `json:"status"`
}

type widgetSpec struct {
	Size      resource.Quantity             `json:"size"`
	Limit     *resource.Quantity            `json:"limit,omitempty"`
	Steps     []resource.Quantity           `json:"steps,omitempty"`
	Pointers  []*resource.Quantity          `json:"pointers,omitempty"`
	Resources map[string]resource.Quantity  `json:"resources,omitempty"`
	Optional  map[string]*resource.Quantity `json:"optional,omitempty"`
	Parts     []widgetPart                  `json:"parts,omitempty"`
	ByName    map[string]widgetPart         `json:"byName,omitempty"`
	Template  kruntime.RawExtension         `json:"template,omitempty"`
	Raw       stdjson.RawMessage            `json:"raw,omitempty"`
	Data      []byte                        `json:"data,omitempty"`
	Blobs     map[string][]byte             `json:"blobs,omitempty"`
	Free      map[string]any                `json:"free,omitempty"`
	Lazy      *lazy                         `json:"lazy,omitempty"`
	Nested    struct {
		Labels map[string]string `json:"labels,omitempty"`
		Deeper struct {
			Name  string              `json:"name,omitempty"`
			Sizes []resource.Quantity `json:"sizes,omitempty"`
		} `json:"deeper"`
	} `json:"nested"`
}

type widgetPart struct {
	Name    string                 `json:"name"`
	Size    resource.Quantity      `json:"size"`
	Port    intstr.IntOrString     `json:"port"`
	Target  *intstr.IntOrString    `json:"target,omitempty"`
	At      *metav1.Time           `json:"at,omitempty"`
	Micro   metav1.MicroTime       `json:"micro"`
	Timeout *metav1.Duration       `json:"timeout,omitempty"`
	Config  *kruntime.RawExtension `json:"config,omitempty"`
	Digest  []byte                 `json:"digest,omitempty"`
	Args    []string               `json:"args,omitempty"`
	Next    *widgetPart            `json:"next,omitempty"`
}

func (l lazy) MarshalJSON() ([]byte, error) {
	if l.content == nil {
		return []byte("null"), nil
	}
	return []byte(l.content.text), nil
}

var readTypes = []reflect.Type{
	reflect.TypeFor[widget](), reflect.TypeFor[widget](), reflect.TypeFor[v1.Pod](), reflect.TypeFor[appsv1.Deployment](), reflect.TypeFor[v1.ConfigMap](), reflect.TypeFor[v1.Secret](),
	reflect.TypeFor[v1.PersistentVolumeClaim](), reflect.TypeFor[v1.PersistentVolume](), reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](),
}

// sizes are texts of quantities in each of their forms.
var sizes = []string{"0", "1", "1000m", "100m", "1.5Gi", "1024Mi", "1Gi", "0.1", "1e3", "12e6", "123456789012345678901234567890", "2048", "500Mi", "0.000000001"}

var raws = []string{`{"kind":"Config","values":[1,2.5,"three"]}`, `{"a long name of a field":{"b":"c"}}`, `"a text that is long enough"`, `[{"x":"a list in a raw extension"}]`}

// filler fills objects at random, which have many parts in common.
type filler struct{ *rand.Rand }

func (f filler) pick(texts []string) string { return texts[f.Intn(len(texts))] }

// fill sets v and what it consists of, down to some depth.
func (f filler) fill(v reflect.Value, depth int) {
	if !v.CanSet() || depth > 9 || f.special(v.Addr().Interface()) {
		return
	}
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	case v.CanInt():
		v.SetInt(f.Int63n(200) - 100)
	case v.CanUint():
		v.SetUint(uint64(f.Intn(200)))
	case v.CanFloat():
		v.SetFloat(f.Float64())
	case v.Kind() == reflect.Bool:
		v.SetBool(f.Intn(2) == 0)
	case v.Kind() == reflect.String:
		v.SetString(strconv.FormatInt(f.Int63()>>f.Intn(64), 36))
	case f.Intn(10) < 3: // the others are nil
		v.SetZero()
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+f.Intn(3), 3))
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + f.Intn(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth+1)
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	}
}

// special fills what is more than its fields, and reports whether it did.
func (f filler) special(v any) bool {
	switch v := v.(type) {
	case *resource.Quantity:
		*v = resource.MustParse(f.pick(sizes))
	case *kruntime.RawExtension:
		v.Raw = []byte(f.pick(raws))
	case *stdjson.RawMessage:
		*v = stdjson.RawMessage(f.pick(raws))
	case *lazy:
		v.content = &lazyContent{text: f.pick(raws)}
	case *metav1.FieldsV1:
		_ = v.UnmarshalJSON([]byte(f.pick(raws[:2])))
	case *any:
		_ = utiljson.Unmarshal([]byte(f.pick(raws)), v)
	case *[]byte:
		*v = bytes.Repeat([]byte{byte(f.Intn(3))}, f.Intn(70))
	case *metav1.Duration:
		v.Duration = time.Duration(f.Intn(3)) * time.Second
	case *metav1.Time:
		*v = metav1.Unix(f.Int63n(1<<31), 0)
	case *intstr.IntOrString:
		*v = intstr.Parse(f.pick([]string{"80", "http", "50%"}))
	case *metav1.TypeMeta:
	default:
		return false
	}
	return true
}

// change fills some part of a value anew.
func change(rng *rand.Rand, v reflect.Value) {
	for rng.Intn(4) > 0 {
		switch _, decodesItself := v.Addr().Interface().(stdjson.Unmarshaler); {
		case decodesItself: // what it consists of is valid together only
		case v.Kind() == reflect.Struct && v.NumField() > 0:
			if f := v.Field(rng.Intn(v.NumField())); f.CanSet() {
				v = f
			}
		case v.Kind() == reflect.Pointer && !v.IsNil():
			v = v.Elem()
		case v.Kind() == reflect.Slice && v.Len() > 0:
			v = v.Index(rng.Intn(v.Len()))
		}
	}
	filler{rng}.fill(v, 0)
}

// readObject is an object that was decoded, which one user at a time reads.
type readObject struct {
	mu    sync.Mutex
	obj   any
	clean []byte // the JSON of what client-go decodes
	// appended are the bytes that a user appended to slices of the object, and mark is the last byte of
	// each.
	appended [][]byte
	mark     byte
}

// check returns how the object differs from what it was.
func (o *readObject) check() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text, err := stdjson.Marshal(o.obj)
	if err != nil || !bytes.Equal(text, o.clean) {
		return fmt.Sprintf("%T has become another one: %v\n%s", o.obj, err, cmp.Diff(string(o.clean), string(text)))
	}
	for _, appended := range o.appended {
		if appended[len(appended)-1] != o.mark {
			return fmt.Sprintf("%T: somebody has written to what was appended to bytes of it", o.obj)
		}
	}
	return ""
}

// read does what a user of an object may do with it.
func (o *readObject) read(rng *rand.Rand) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch rng.Intn(6) {
	case 0:
		_ = fmt.Sprintf("%v %+v", o.obj, reflect.ValueOf(o.obj).Elem().Interface())
	case 1:
		_ = fmt.Sprint(klog.Format(o.obj))
	case 2:
		if m, ok := o.obj.(message); ok {
			_, _ = m.Marshal()
		}
	case 3:
		use(reflect.ValueOf(o.obj))
	case 4:
		o.compare(reflect.ValueOf(o.obj))
	default:
		o.appendTo(reflect.ValueOf(o.obj))
	}
}

// compare compares quantities, which converts them.
func (o *readObject) compare(v reflect.Value) {
	big := resource.MustParse("123456789012345678901234567890")
	eachValue(v, func(v reflect.Value) {
		if q, ok := v.Interface().(resource.Quantity); ok {
			q.Cmp(big)
			q.Equal(big)
			_, _ = q.MarshalJSON()
			_ = q.DeepCopy()
		}
		if q, ok := v.Interface().(*resource.Quantity); ok && q != nil {
			_, _ = q.Cmp(big), reflect.DeepEqual(q, &big)
			_, _, _ = q.Value(), q.AsApproximateFloat64(), q.IsZero()
			_, _ = q.Marshal()
		}
	})
}

// appendTo appends to slices of the object, which leaves the object as it is.
func (o *readObject) appendTo(v reflect.Value) {
	o.appended = o.appended[:0]
	eachValue(v, func(v reflect.Value) {
		switch {
		case v.Kind() != reflect.Slice || v.IsNil():
		case v.Type().Elem().Kind() == reflect.Uint8:
			o.appended = append(o.appended, append(v.Bytes(), o.mark))
		default:
			reflect.Append(v, reflect.Zero(v.Type().Elem()))
		}
	})
}

// eachValue calls each for a value, and for all that it consists of.
func eachValue(v reflect.Value, each func(reflect.Value)) {
	if v.IsValid() && v.CanInterface() {
		each(v)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		eachValue(v.Elem(), each)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachValue(v.Field(i), each)
			}
		}
	case reflect.Slice:
		for i := 0; i < v.Len() && v.Type().Elem().Kind() != reflect.Uint8; i++ {
			eachValue(v.Index(i), each)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			eachValue(v.MapIndex(key), each)
		}
	}
}

// readers are users of the objects that some decoders have decoded last.
type readers struct {
	shared                 *Shared
	objects                []atomic.Pointer[readObject]
	decoded, refused, read atomic.Int64
	failed                 atomic.Bool
	failure                chan string
	done                   chan struct{}
}

func (r *readers) fail(format string, args ...any) {
	r.failed.Store(true)
	select {
	case r.failure <- fmt.Sprintf(format, args...):
	default:
	}
}

func (r *readers) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return r.failed.Load()
	}
}

// use reads objects until the end.
func (r *readers) use(seed int64) {
	for rng := rand.New(rand.NewSource(seed)); !r.over(); {
		if o := r.objects[rng.Intn(len(r.objects))].Load(); o != nil {
			o.read(rng)
			r.read.Add(1)
		}
	}
}

// decode decodes changes of objects until the end. Each decoder has some of the places.
func (r *readers) decode(seed int64, first, step int) {
	rng := rand.New(rand.NewSource(seed))
	models := make([]reflect.Value, len(r.objects))
	for !r.over() {
		place := first + step*rng.Intn(len(r.objects)/step)
		typ := readTypes[place/step%len(readTypes)]
		switch {
		case !models[place].IsValid() || rng.Intn(20) == 0:
			models[place] = reflect.New(typ)
			filler{rng}.fill(models[place].Elem(), 0)
		case rng.Intn(3) > 0:
			change(rng, models[place].Elem())
		}
		o, err := r.decodeOne(rng, typ, models[place].Interface())
		if err != nil {
			r.fail("seed %d: %v: %v", seed, typ, err)
			return
		}
		o.mark = byte(rng.Intn(256))
		if before := r.objects[place].Swap(o); before != nil {
			if difference := before.check(); difference != "" {
				r.fail("seed %d: %s", seed, difference)
			}
		}
		r.decoded.Add(1)
	}
}

// decodeOne decodes an object in some way with sharing, and as client-go does.
func (r *readers) decodeOne(rng *rand.Rand, typ reflect.Type, model any) (*readObject, error) {
	text, err := stdjson.Marshal(model)
	if err != nil {
		return nil, err
	}
	reference := func(into any) error { return utiljson.Unmarshal(text, into) }
	d := NewDecoder(typ, r.shared)
	got, want := reflect.New(typ), reflect.New(typ)
	ok := false
	m, proto := model.(message)
	if proto && rng.Intn(2) == 0 {
		if text, err = m.Marshal(); err != nil {
			return nil, err
		}
		reference = func(into any) error { return into.(message).Unmarshal(text) }
		ok = d.Proto(text, decoding.Options{}, got.UnsafePointer())
	} else {
		ok = d.scanned(text, unsafe.Pointer(got.Pointer()))
	}
	if err := reference(want.Interface()); err != nil {
		return nil, err
	}
	if !ok {
		r.refused.Add(1)
		got = want
	}
	if !reflect.DeepEqual(got.Interface(), want.Interface()) {
		return nil, fmt.Errorf("differs from client-go's (-want +got):\n%s\n%s", cmp.Diff(want.Interface(), got.Interface(), cmp.Exporter(func(reflect.Type) bool { return true })), text)
	}
	clean, err := stdjson.Marshal(want.Interface())
	return &readObject{obj: got.Interface(), clean: slices.Clip(clean)}, err
}

// Objects are what client-go decodes, and stay so, whatever users do with other objects: they print,
// compare and marshal objects, and append to slices of them. Two users never have the same object at the
// same time, since some of that writes to it.
func TestReaders(t *testing.T) {
	seed := *readersSeed
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	const decoders, users = 2, 3
	r := &readers{shared: NewShared(), objects: make([]atomic.Pointer[readObject], decoders*90), failure: make(chan string, 1), done: make(chan struct{})}
	var all sync.WaitGroup
	for i := range decoders {
		all.Go(func() { r.decode(seed+int64(i), i, decoders) })
	}
	for i := range users {
		all.Go(func() { r.use(seed + decoders + int64(i)) })
	}
	select {
	case failure := <-r.failure:
		t.Errorf("-seed %d: %s", seed, failure)
	case <-time.After(*readersDuration):
	}
	close(r.done)
	all.Wait()
	select {
	case failure := <-r.failure:
		t.Errorf("-seed %d: %s", seed, failure)
	default:
	}
	parts, saved := r.shared.Saved()
	t.Logf("%d objects decoded, of which %d were refused; %d parts of %d bytes shared; %d reads", r.decoded.Load(), r.refused.Load(), parts, saved, r.read.Load())
	if parts == 0 || r.read.Load() == 0 || 20*r.refused.Load() > r.decoded.Load() {
		t.Error("too little was shared and read: the test is about nothing")
	}
}
