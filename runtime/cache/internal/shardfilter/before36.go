//go:build before36

package shardfilter

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// setShardSelector does nothing: requests have no such option, so that servers send all objects.
func setShardSelector(*metav1.ListOptions, string) {}
