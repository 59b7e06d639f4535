//go:build !before36

package shard

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

func setSelector(options *metav1.ListOptions, selector string) { options.ShardSelector = selector }
