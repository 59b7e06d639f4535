package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestCompareEndpoints(t *testing.T) {
	pod := func(uid types.UID, ready corev1.ConditionStatus) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{UID: uid, Labels: map[string]string{"app": "web"}},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
		}
	}
	slice := func(uids ...types.UID) discoveryv1.EndpointSlice {
		s := discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{discoveryv1.LabelServiceName: "web"}}}
		for _, uid := range uids {
			s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{TargetRef: &corev1.ObjectReference{UID: uid}})
		}
		return s
	}
	going := pod("going", corev1.ConditionTrue)
	going.DeletionTimestamp = new(metav1.Now())
	pods := []corev1.Pod{pod("a", corev1.ConditionTrue), pod("b", corev1.ConditionTrue), pod("c", corev1.ConditionFalse), going}
	for _, c := range []struct {
		name   string
		slices []discoveryv1.EndpointSlice
		right  bool
	}{
		{"all that are ready", []discoveryv1.EndpointSlice{slice("a"), slice("b")}, true},
		{"one is missing", []discoveryv1.EndpointSlice{slice("a")}, false},
		{"one is not ready", []discoveryv1.EndpointSlice{slice("a", "b", "c")}, false},
		{"one is being deleted", []discoveryv1.EndpointSlice{slice("a", "b", "going")}, false},
		{"none", nil, false},
	} {
		if err := compareEndpoints(pods, c.slices); (err == nil) != c.right {
			t.Errorf("%s: got %v, want right to be %v", c.name, err, c.right)
		}
	}
}
