package cachetest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// List implements cache.Objects for all namespaces. Items are ordered by namespace and name.
//
// A resourceVersion has the meaning that it has for a real server. "" and "0" select the latest state, and
// any other one a state that is not older. With a limit or with resourceVersionMatch=Exact, it selects the
// state at that version. All pages of a list show one state. A limit is ignored with "0", which a real
// server answers from its watch cache.
//
// Possible errors: errors of faults; NotFound, after Uninstall; Expired, for a resourceVersion or a
// continue token from before a compaction; Timeout with the cause ResourceVersionTooLarge, at once;
// BadRequest and Invalid.
func (a *engine) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return a.list(ctx, "", options, unpadded(each))
}

// Describe says that resourceVersions are comparable numbers, that a watch sends them in order, and whether
// the API has the resource.
func (a *engine) Describe() cache.SourceInfo {
	served := func(context.Context) (bool, error) { return a.installed(), nil }
	return cache.SourceInfo{OrderedResourceVersions: true, Served: served}
}

// namespaced is the source of one namespace.
type namespaced struct {
	*engine
	namespace string
}

func (n namespaced) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	return n.list(ctx, n.namespace, options, unpadded(each))
}

func (n namespaced) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	return asWatcher(n.watch(ctx, n.namespace, options))
}

// SetWatchCache sets whether the server has a watch cache. Without one, a list with the resourceVersion "0"
// is paged like any other. The default is true.
func (a *engine) SetWatchCache(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.uncached = !on
}

// eachItem gets an item of a list, or the error in its place, and the number of bytes to add to it.
type eachItem func(obj runtime.Object, padding int, err error)

func unpadded(each func(any, error)) eachItem {
	return func(obj runtime.Object, _ int, err error) {
		if err != nil {
			each(nil, err)
			return
		}
		each(obj, nil)
	}
}

func (a *engine) list(ctx context.Context, namespace string, options metav1.ListOptions, each eachItem) (metav1.ListMeta, error) {
	request, fault := a.arrive(Request{Verb: List, Namespace: namespace, Options: *options.DeepCopy()})
	list, err := a.listPage(ctx, namespace, options, fault, each)
	a.answer(request, err)
	return list, err
}

func (a *engine) listPage(ctx context.Context, namespace string, options metav1.ListOptions, fault *Fault, each eachItem) (metav1.ListMeta, error) {
	if err := fault.start(ctx); err != nil {
		return metav1.ListMeta{}, err
	}
	page, err := a.page(namespace, options, fault.Shuffle)
	if err != nil {
		return metav1.ListMeta{}, err
	}
	after := min(max(fault.After, 0), len(page.items))
	for _, v := range page.items[:after] {
		each(v.copy(), 0, nil)
	}
	if err := pause(ctx, fault.Stall); err != nil {
		return metav1.ListMeta{}, err
	}
	if again := after - fault.Repeat; again >= 0 && again < after {
		each(page.items[again].copy(), 0, nil)
	}
	if fault.ends() {
		return metav1.ListMeta{}, fault.end(ctx)
	}
	for i, v := range page.items[after:] {
		if i > 0 {
			each(v.copy(), 0, nil)
		} else if object := fault.undecodable(v.key()); object != nil {
			each(nil, fault.Padding, object)
		} else {
			each(v.copy(), fault.Padding, nil)
		}
	}
	return page.meta, nil
}

// page is one page of a list.
type page struct {
	items []*version
	meta  metav1.ListMeta
}

// page returns the page that the options select. shuffle is the seed of a list that begins with this page.
func (a *engine) page(namespace string, options metav1.ListOptions, shuffle uint64) (page, error) {
	options.Watch = false
	s, err := parseSelection(namespace, options, &a.filtersShards)
	if err != nil {
		return page{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.unavailableLocked(http.MethodGet); err != nil {
		return page{}, err
	}
	limit := int(options.Limit)
	if options.ResourceVersion == "0" && options.Continue == "" && !a.uncached {
		limit = 0
	}
	var token continueToken
	if options.Continue == "" {
		token.Shuffle = shuffle
		token.Version, err = a.listVersionLocked(options)
	} else {
		token, err = a.continueLocked(options)
	}
	if err != nil {
		return page{}, err
	}
	return cutPage(a.snapshotLocked(token.Version), s, limit, token), nil
}

// cutPage selects the items of the page that begins at the token.
func cutPage(versions []*version, s selection, limit int, token continueToken) page {
	versions = shuffle(versions, token.Shuffle)
	compare := shuffled(token.Shuffle)
	p := page{meta: metav1.ListMeta{ResourceVersion: formatVersion(token.Version)}}
	first := 0
	if token.Page > 0 {
		var found bool
		first, found = slices.BinarySearchFunc(versions, token.Last, func(v *version, key types.NamespacedName) int {
			return compare(v.key(), key)
		})
		if found {
			first++
		}
	}
	more := int64(0)
	for _, v := range versions[first:] {
		switch {
		case !s.matches(v.meta):
		case limit > 0 && len(p.items) >= limit:
			more++
		default:
			p.items = append(p.items, v)
		}
	}
	if more > 0 {
		token.Page++
		token.Last = p.items[len(p.items)-1].key()
		p.meta.Continue = token.encode()
		if !s.selective() {
			p.meta.RemainingItemCount = &more
		}
	}
	return p
}

// listVersionLocked returns the resourceVersion of the state that a list shows, from the options of its
// first page.
func (a *engine) listVersionLocked(options metav1.ListOptions) (uint64, error) {
	latest := a.history.tail.rv
	if options.ResourceVersion == "" || options.ResourceVersion == "0" {
		return latest, nil
	}
	rv, err := parseVersion(options.ResourceVersion)
	if err != nil {
		return 0, err
	}
	if rv > latest {
		return 0, tooLarge(rv, latest)
	}
	exact := options.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		options.ResourceVersionMatch == "" && options.Limit > 0
	if !exact {
		return latest, nil
	}
	if rv < a.history.base.rv {
		return 0, apierrors.NewResourceExpired(fmt.Sprintf("The resourceVersion for the provided list is too old: %d, the oldest is %d.", rv, a.history.base.rv))
	}
	return rv, nil
}

// continueLocked returns where the page of options.Continue begins. The error of an expired token has
// another token, which continues in the latest state.
func (a *engine) continueLocked(options metav1.ListOptions) (continueToken, error) {
	if rv := options.ResourceVersion; rv != "" && rv != "0" {
		return continueToken{}, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	token, err := decodeToken(options.Continue)
	if err != nil {
		return continueToken{}, err
	}
	if token.Inconsistent {
		token.Inconsistent = false
		token.Version = a.history.tail.rv
	}
	switch {
	case token.Version > a.history.tail.rv:
		return continueToken{}, tooLarge(token.Version, a.history.tail.rv)
	case token.Version < a.history.base.rv:
		token.Inconsistent = true
		expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. " +
			"You can start a new list without the continue parameter, or use the continue token in this response " +
			"to retrieve the remainder of the results, from the latest state.")
		expired.ErrStatus.Continue = token.encode()
		return continueToken{}, expired
	}
	return token, nil
}

// continueToken names the next page of a list.
type continueToken struct {
	// Version is the resourceVersion of the state that the list shows.
	Version uint64 `json:"rv"`
	// Page counts the earlier pages, and Last is the last key on them.
	Page int                  `json:"page"`
	Last types.NamespacedName `json:"last"`
	// Shuffle is the seed of the order of the items.
	Shuffle uint64 `json:"shuffle,omitempty"`
	// Inconsistent replaces Version by the latest.
	Inconsistent bool `json:"inconsistent,omitempty"`
}

func (t continueToken) encode() string {
	// A struct of strings and numbers always encodes.
	text, _ := json.Marshal(t)
	return base64.RawURLEncoding.EncodeToString(text)
}

func decodeToken(s string) (continueToken, error) {
	var t continueToken
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return continueToken{}, apierrors.NewBadRequest(fmt.Sprintf("continue key is not valid: %v", err))
	}
	return t, nil
}

// tooLarge returns the error for a resourceVersion that the server has not reached.
func tooLarge(rv, latest uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", rv, latest), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}
