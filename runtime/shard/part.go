package shard

import (
	"context"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// maxTerms is the largest number of ranges in a selector: some proxies refuse a URL of more
// than 8 KB. If there are more, the server is asked for what is between some of them too.
const maxTerms = 32

// part limits a request, and its response, to ranges of hashes.
type part struct {
	by     By
	ranges Ranges
	// requested are the ranges of the selector.
	requested Ranges
	// evidence that the server filters comes with each object that was requested: the negative logarithm
	// of the chance that another server sends it.
	evidence float64
	server   *server
	logger   klog.Logger
	// leftOut is decoding.Request.LeftOut.
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

// limit returns the options of the request.
func (p *part) limit(options metav1.ListOptions) metav1.ListOptions {
	setSelector(&options, p.by.Selector(p.requested))
	return options
}

// beforeDecoding returns the context of the request: a source that can asks it before it decodes
// an object.
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

// noteForeign notes an object that was not requested, and reports whether it is one.
func (p *part) noteForeign(hash uint64) bool {
	foreign := !p.requested.Contains(hash)
	if foreign && p.server.didNotFilter() {
		p.logger.Info("Server does not filter by shard, objects of others are dropped here", "shardedBy", p.by)
	}
	return foreign
}

// leaveOut tells the informer of an object that is left out.
func (p *part) leaveOut(obj any) {
	if m, ok := obj.(metav1.Object); ok && p.leftOut != nil {
		p.leftOut(m.GetResourceVersion())
	}
}
