//go:build before36

package cachetest

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// shardSelector returns "": requests have no such option in these versions.
func shardSelector(metav1.ListOptions) string { return "" }
