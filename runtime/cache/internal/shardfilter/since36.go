//go:build !before36

package shardfilter

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

func setShardSelector(options *metav1.ListOptions, selector string) { options.ShardSelector = selector }
