package mutation

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMutationDetector(t *testing.T) {
	d := New(func() string { return "things" })
	quiet := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "quiet"}}
	loud := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "loud"}}
	d.Add(quiet)
	d.Add(loud)
	if err := d.Compare(time.Now()); err != nil {
		t.Fatal(err)
	}
	loud.Labels = map[string]string{"changed": "yes"}
	err := d.Compare(time.Now())
	if err == nil || !strings.Contains(err.Error(), `informer "things": object "ns/loud" of the cache was mutated`) {
		t.Errorf("got %v", err)
	}
	loud.Labels = nil
	if err := d.Compare(time.Now().Add(2 * retention)); err != nil || len(d.watched) != 0 {
		t.Errorf("after the retention: %v, %d objects watched", err, len(d.watched))
	}
}

// Printing an object is no mutation, whatever it writes to.
func TestMutationDetectorWithPrintedObjects(t *testing.T) {
	d := New(func() string { return "pods" })
	size := resource.MustParse("1024Mi")
	pod := &v1.Pod{Spec: v1.PodSpec{Volumes: []v1.Volume{{VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: &size}}}}}}
	d.Add(pod)
	_ = pod.String()
	_ = size.AsDec()
	if err := d.Compare(time.Now()); err != nil {
		t.Error(err)
	}
}

func TestMutationDetectionSwitch(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "true": true, "1": true, "maybe": false} {
		t.Setenv(variable, value)
		if got := Enabled(); got != want {
			t.Errorf("%q: got %v", value, got)
		}
	}
}
