//go:build !before36

package cachetest

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

func shardSelector(options metav1.ListOptions) string { return options.ShardSelector }
