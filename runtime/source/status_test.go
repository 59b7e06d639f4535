package source

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	dynamicclient "k8s.io/client-go/dynamic"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// A Status with code 200 in place of a list is the error that it says, and a success is no list,
// in any encoding, in any order of its members, and over any client.
func TestStatusInPlaceOfAList(t *testing.T) {
	const expiredText = `"message":"too old","reason":"Expired","code":410,"details":{}`
	for _, test := range []struct {
		name, contentType, body string
		says                    string
		class                   failure.Class
	}{
		{"failure", jsonType, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` + expiredText + `}`, "too old", failure.ClassExpired},
		{"failure, sorted", jsonType, `{"apiVersion":"v1","code":410,"kind":"Status","message":"too old","reason":"Expired","status":"Failure"}`, "too old", failure.ClassExpired},
		{"failure, kind last", jsonType, `{"status":"Failure",` + expiredText + `,"apiVersion":"v1","kind":"Status"}`, "too old", failure.ClassExpired},
		{"failure without a message", jsonType, `{"kind":"Status","apiVersion":"v1","reason":"Expired","code":410}`, `status without a message: , reason "Expired", code 410`, failure.ClassExpired},
		{"failure with a message that is none", jsonType, `{"kind":"Status","apiVersion":"v1","message":{}}`, "can't be decoded", failure.ClassDecode},
		{"success", jsonType, `{"kind":"Status","apiVersion":"v1","status":"Success","message":"hello"}`, `is a Status (Success), message "hello"`, failure.ClassDecode},
		{"failure in protobuf", protoType, string(encoded(t, protoType, expired())), "too old", failure.ClassExpired},
		{"success in protobuf", protoType, string(encoded(t, protoType, &metav1.Status{TypeMeta: expired().TypeMeta, Status: "Success"})), "is a Status (Success)", failure.ClassDecode},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := serveBody(t, test.contentType, test.body)
			client, streaming := newClient(t, cfg), NewStreaming(ClientOptions{})
			sources := []cache.Objects{
				client.Objects(reflect.TypeFor[*corev1.Pod](), pods, ""),
				streaming.FromListerWatcher(podsOf(t, streaming.Config(cfg)), &corev1.Pod{}),
			}
			if test.contentType == jsonType {
				dynamic := must(dynamicclient.NewForConfig(cfg))(t).Resource(pods)
				sources = append(sources, client.Objects(reflect.TypeFor[*unstructured.Unstructured](), pods, ""),
					FromClientset[*unstructured.Unstructured](nil, dynamic.List, dynamic.Watch))
			}
			for _, src := range sources {
				_, err := src.List(t.Context(), metav1.ListOptions{}, func(_ any, err error) { t.Errorf("an item: %v", err) })
				if err == nil || !strings.Contains(err.Error(), test.says) || failure.ClassOf(err) != test.class {
					t.Errorf("%T: %v of class %v", src, err, failure.ClassOf(err))
				}
			}
		})
	}
}

// A list may have members with the names of a Status' members.
func TestListWithMembersOfAStatus(t *testing.T) {
	body := `{"status":{"a":1},"code":"no number","kind":"PodList","message":[],"items":[{"metadata":{"name":"a"}}],"details":"` + strings.Repeat("long", 1000) + `"}`
	client := must(NewClientWithOptions(serveBody(t, jsonType, body), ClientOptions{MaxObjectBytes: 100}))(t)
	got, failed, _, err := listAll(t, New[*corev1.Pod](client, pods, ""), metav1.ListOptions{})
	if err != nil || failed != nil || len(got) != 1 {
		t.Errorf("%d items: %v %v", len(got), err, failed)
	}
}

// A client may return the Status as it is.
func TestStatusOfAClient(t *testing.T) {
	src := FromClientset[*corev1.Pod](nil, func(context.Context, metav1.ListOptions) (*metav1.Status, error) { return expired(), nil }, nil)
	if _, _, _, err := listAll(t, src, metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
		t.Errorf("failure: %v", err)
	}
	src = FromClientset[*corev1.Pod](nil, func(context.Context, metav1.ListOptions) (*metav1.Status, error) {
		return &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusOK}, nil
	}, nil)
	if _, _, _, err := listAll(t, src, metav1.ListOptions{}); !errors.Is(err, errNotAList) {
		t.Errorf("success: %v", err)
	}
}
