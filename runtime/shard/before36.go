//go:build before36

package shard

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// setSelector does nothing: requests have no such option, so that servers send all objects.
func setSelector(*metav1.ListOptions, string) {}
