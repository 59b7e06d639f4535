package decode

import (
	"bytes"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestJSONMetadata(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"Pod","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{}}`:                             "u n 7",
		` { "spec" : [ {"metadata":{"uid":"no"}} , "}\"]" , 1e3, true , null ] , "metadata" : { "labels":{"uid":"x"}, "uid" : "u" } }`: "u  ",
		`{"a":-1.5,"b":[],"c":{},"d":"","metadata":{"managedFields":[{"uid":"x"},"\\"],"uid":"u"}}`:                                    "u  ",
		`{"metadata":{"uid":"\u0061"}}`:     "",
		"{\"metadata\":{\"uid\":\"\xff\"}}": "",
		`{"metadata":{"uid":7}}`:            "",
		`{"metadata":{"uid":""}}`:           "",
		`{"metadata":null}`:                 "",
		`{"metadata":[]}`:                   "",
		`{}`:                                "",
		`[]`:                                "",
		`"metadata"`:                        "",
		`{"metadata":{"uid":"u","namespace":null}}`: "",
	} {
		trimmed := bytes.TrimSpace([]byte(text))
		m, ok := JSONMetadata(trimmed, indexOf(trimmed))
		got := ""
		if ok {
			got = string(m.UID) + " " + string(m.Namespace) + " " + string(m.ResourceVersion)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestProtoMetadata(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "n", UID: "u", ResourceVersion: "7", Generation: 3, Labels: map[string]string{"uid": "x"}},
		Spec:       corev1.PodSpec{NodeName: "node"},
	}
	message, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	m, ok := ProtoMetadata(message)
	if !ok || string(m.UID) != "u" || string(m.Namespace) != "n" || string(m.ResourceVersion) != "7" {
		t.Errorf("got %q %q %q, %v", m.UID, m.Namespace, m.ResourceVersion, ok)
	}
	for end := range message {
		ProtoMetadata(message[:end]) // does not panic
	}
}

// JSONMetadata returns what encoding/json decodes, or nothing, and never panics.
func FuzzJSONMetadata(f *testing.F) {
	f.Add([]byte(`{"kind":"Pod","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{}}`))
	f.Add([]byte(` { "spec" : [ {"metadata":{"uid":"no"}} , "}\"]" , 1e3, true , null ] , "metadata" : { "uid" : "u" } }`))
	f.Add([]byte(`{"metadata":{"uid"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if text = bytes.TrimSpace(text); !json.Valid(text) {
			return
		}
		m, ok := JSONMetadata(text, indexOf(text))
		var object map[string]json.RawMessage
		if !ok || json.Unmarshal(text, &object) != nil {
			return
		}
		var metadata map[string]any
		if err := json.Unmarshal(object["metadata"], &metadata); err != nil {
			return // the name is there twice
		}
		if uid, is := metadata["uid"].(string); is && uid != string(m.UID) && !twice(text, "uid") && !twice(text, "metadata") {
			t.Errorf("%s: got %q", text, m.UID)
		}
	})
}

// twice reports whether a name may be there more than once. encoding/json takes the last.
func twice(text []byte, name string) bool {
	return bytes.Count(text, []byte(name))+bytes.Count(text, []byte(`\u`)) > 1
}

// Whatever is no message makes it return, and not panic.
func FuzzProtoMetadata(f *testing.F) {
	f.Add([]byte{10, 3, 42, 1, 'u'})
	f.Add([]byte{10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(_ *testing.T, message []byte) { ProtoMetadata(message) })
}
