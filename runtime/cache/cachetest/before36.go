//go:build before36

package cachetest

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// shardSelector returns none: requests have no such option.
func shardSelector(metav1.ListOptions) string { return "" }
