//go:build before36

package shard

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// setSelector does nothing: ListOptions has no shard selector in these versions, so servers send all
// objects.
func setSelector(*metav1.ListOptions, string) {}
