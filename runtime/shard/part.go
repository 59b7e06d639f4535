package shard

import (
	"context"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// maxTerms is the largest number of ranges in a selector, since some proxies refuse a URL of more than 8
// KB. If a shard has more ranges, the selector also covers the gaps between some of them.
const maxTerms = 32

// part limits a request, and its response, to ranges of hashes.
type part struct {
	by     By
	ranges Ranges
	// requested holds the ranges of the selector.
	requested Ranges
	// evidence is the evidence that the server filters which each requested object adds: the negative
	// logarithm of the chance that a server that does not filter sends such an object.
	evidence float64
	server   *server
	logger   klog.Logger
	// leftOut is the request's decoding.Request.LeftOut. It may be nil.
	leftOut func(resourceVersion string)
}

func newPart(ctx context.Context, s *Shard, resource schema.GroupVersionResource, ranges Ranges) *part {
	p := &part{by: s.by, ranges: ranges, requested: All(), leftOut: decoding.From(ctx).LeftOut}
	if s.by.Served() {
		p.requested = ranges.Cover(maxTerms)
		p.server, p.logger = s.serverOf(resource), klog.FromContext(ctx)
	}
	p.evidence = -math.Log(p.requested.Fraction())
	return p
}

// limit returns the options of the request with the selector.
func (p *part) limit(options metav1.ListOptions) metav1.ListOptions {
	setSelector(&options, p.by.Selector(p.requested))
	return options
}

// beforeDecoding returns a context for the request with a check of each object. A source that can calls the
// check before it decodes the object.
func (p *part) beforeDecoding(ctx context.Context) context.Context {
	if !p.by.Served() {
		return ctx
	}
	request := decoding.From(ctx)
	outer := request.Wanted
	request.Wanted = func(uid, namespace, resourceVersion []byte) bool {
		if outer != nil && !outer(uid, namespace, resourceVersion) {
			return false
		}
		hash := p.by.HashOf(uid, namespace)
		p.noteForeign(hash)
		if !p.ranges.Contains(hash) && p.leftOut != nil {
			p.leftOut(string(resourceVersion))
		}
		return p.ranges.Contains(hash)
	}
	return decoding.With(ctx, request)
}

// has reports whether an object of the response is in the ranges.
func (p *part) has(obj any) bool {
	m, ok := obj.(metav1.Object)
	if !ok {
		return true
	}
	hash := p.by.Hash(m)
	if p.server != nil && !p.noteForeign(hash) {
		p.server.filtered(p.evidence)
	}
	return p.ranges.Contains(hash)
}

// noteForeign reports whether an object is outside of the requested ranges. If so, the server does not
// filter. The first such object is logged.
func (p *part) noteForeign(hash uint64) bool {
	foreign := !p.requested.Contains(hash)
	if foreign && p.server.didNotFilter() {
		p.logger.Info("Server does not filter by shard, the informer drops objects of other shards", "shardedBy", p.by)
	}
	return foreign
}

// leaveOut tells the informer that an object is left out.
func (p *part) leaveOut(obj any) {
	if m, ok := obj.(metav1.Object); ok && p.leftOut != nil {
		p.leftOut(m.GetResourceVersion())
	}
}
