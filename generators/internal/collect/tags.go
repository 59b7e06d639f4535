package collect

import (
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// typeTags are the markers of a type, parsed.
type typeTags struct {
	// Genclient is true for +genclient, Root for +kubebuilder:object:root=true.
	Genclient, Root bool
	// CRD is true for a marker that only the types of CRDs have, such as
	// +kubebuilder:resource.
	CRD bool
	// Skip is true for +kubebuilder:skip.
	Skip bool
	// Unserved is the marker by which the CRD does not serve the version:
	// kubebuilder:unservedversion or kubebuilder:skipversion.
	Unserved string
	// NonNamespaced is true for +genclient:nonNamespaced.
	NonNamespaced bool
	// NoVerbs is true for +genclient:noVerbs.
	NoVerbs bool
	// NoStatus is true for +genclient:noStatus, StatusSubresource for
	// +kubebuilder:subresource:status.
	NoStatus, StatusSubresource bool
	// Verbs are the verbs of its client, in the order of the table verbs.
	Verbs []string
	// ResourceName is the value of +resourceName. Path and Scope are values of
	// +kubebuilder:resource.
	ResourceName, Path, Scope string
	// Slim is the full type that +informer-gen:slim names.
	Slim string
	// Indexes are the values of +informer-gen:index.
	Indexes []indexMarker

	pos, scopePos, nonNamespacedPos, resourceNamePos, pathPos, slimPos token.Pos
}

// marked reports whether the type is to have an informer or a CRD.
func (t typeTags) marked() bool { return t.Genclient || t.Root || t.CRD || t.Slim != "" }

// crdTags are those that controller-gen reads of the types of CRDs only.
var crdTags = append([]string{"kubebuilder:resource", "kubebuilder:subresource", "kubebuilder:printcolumn", "kubebuilder:storageversion",
	"kubebuilder:deprecatedversion", "kubebuilder:selectablefield"}, unservedTags...)

// unservedTags are those by which controller-gen leaves a version out of a CRD, or says that it
// is not served.
var unservedTags = []string{"kubebuilder:unservedversion", "kubebuilder:skipversion"}

// ofCRD reports whether only the type of a CRD has the marker.
func (m marker) ofCRD() bool {
	return slices.ContainsFunc(crdTags, func(tag string) bool { return m.name == tag || strings.HasPrefix(m.name, tag+":") })
}

var verbs = []string{"create", "update", "updateStatus", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply", "applyStatus"}

var genclientTags = []string{"genclient", "genclient:nonNamespaced", "genclient:noVerbs", "genclient:onlyVerbs", "genclient:skipVerbs",
	"genclient:noStatus", "genclient:readonly", "genclient:method"}

// tagParser reads the tags of types.
type tagParser struct {
	at    func(token.Pos) token.Position
	diags *diag.List
	// clients is true if clients are generated.
	clients bool
}

// quiet returns a parser that reports nothing.
func (p tagParser) quiet() tagParser {
	p.diags = new(diag.List)
	return p
}

// parse reads the markers of a type. Those it does not know are an error if
// they are of the genclient family or this tool's, and someone else's if not.
func (p tagParser) parse(m markers) typeTags {
	tags := typeTags{}
	for _, marker := range m {
		tags.CRD = tags.CRD || marker.ofCRD()
		switch {
		case strings.HasPrefix(marker.name, "genclient"):
			p.genclient(&tags, marker)
		case marker.name == IndexTag:
			if index, ok := p.index(marker); ok {
				tags.Indexes = append(tags.Indexes, index)
			}
		case strings.HasPrefix(marker.name, ownTags):
			p.slim(&tags, marker)
		case marker.name == "nonNamespaced" && marker.value != "", marker.name == "readonly" && marker.value != "":
			p.diags.Errorf(p.at(marker.pos), "%s: an old form; write +genclient:%s", marker, marker.name)
		case marker.name == "kubebuilder:object:root":
			tags.Root = marker.value != "false"
		case marker.name == "kubebuilder:subresource:status":
			tags.StatusSubresource = true
		case marker.name == "kubebuilder:skip":
			tags.Skip = true
		case slices.Contains(unservedTags, marker.name):
			tags.Unserved = marker.name
		case marker.name == "resourceName":
			tags.ResourceName, tags.resourceNamePos = unquote(marker.value), marker.pos
			p.resourceName("+resourceName", tags.ResourceName, marker)
		case strings.HasPrefix(marker.name, "kubebuilder:resource:"):
			p.resource(&tags, marker)
		default:
			p.misspelt(marker)
		}
	}
	tags.Verbs = p.verbs(m)
	return tags
}

// misspelt warns of a tag that is a tag of ours but for one letter or capital letters. Other unknown tags
// are another tool's.
func (p tagParser) misspelt(m marker) {
	if slices.Contains(readTags, m.name) || m.ofGroup() {
		return
	}
	for _, tag := range readTags {
		// Most are too long or too short, and every comment of a type has some.
		if longer := len(m.name) - len(tag); longer < -1 || longer > 1 {
			continue
		}
		if suggest.Distance(strings.ToLower(m.name), strings.ToLower(tag)) <= 1 {
			p.diags.Warnf(p.at(m.pos), "+%s: unknown tag; did you mean +%s?", m.name, tag)
		}
	}
}

func (p tagParser) genclient(tags *typeTags, m marker) {
	if !slices.Contains(genclientTags, m.name) {
		p.diags.Errorf(p.at(m.pos), "+%s: unknown tag%s", m.name, suggest.DidYouMean(m.name, "+", genclientTags))
		return
	}
	takesValue := m.name == "genclient:onlyVerbs" || m.name == "genclient:skipVerbs" || m.name == "genclient:method"
	switch {
	case m.extra != "":
		p.diags.Errorf(p.at(m.pos), "+%s: unexpected text: %q; a tag stands alone on its line", m.name, m.extra)
	case takesValue && m.value == "":
		p.diags.Errorf(p.at(m.pos), "+%s: no value; write +%s=…", m.name, m.name)
	case !takesValue && m.value != "":
		p.diags.Errorf(p.at(m.pos), "+%s: unexpected value: %q; write +%s, or leave it out to disable it", m.name, m.value, m.name)
	}
	switch m.name {
	case "genclient":
		tags.Genclient, tags.pos = true, m.pos
	case "genclient:nonNamespaced":
		tags.NonNamespaced, tags.nonNamespacedPos = true, m.pos
	case "genclient:noVerbs":
		tags.NoVerbs = true
	case "genclient:noStatus":
		tags.NoStatus = true
	case "genclient:method":
		p.method(m)
	}
}

func (p tagParser) slim(tags *typeTags, m marker) {
	switch {
	case m.name != slimTag:
		p.diags.Errorf(p.at(m.pos), "+%s: unknown tag%s", m.name, suggest.DidYouMean(m.name, "+", []string{slimTag, IndexTag}))
	case m.extra != "":
		p.diags.Errorf(p.at(m.pos), "+%s: unexpected text: %q; write +%s=k8s.io/api/core/v1.Pod, for example", m.name, m.extra, m.name)
	case m.value == "":
		p.diags.Errorf(p.at(m.pos), "+%s: no value; write +%s=k8s.io/api/core/v1.Pod, for example", m.name, m.name)
	case tags.Slim != "":
		p.diags.Errorf(p.at(m.pos), "+%s: %s here, but %s at %s; name one type", m.name, m.value, tags.Slim, p.at(tags.slimPos))
	default:
		tags.Slim, tags.slimPos = m.value, m.pos
	}
}

// method checks a +genclient:method as client-gen would. It concerns clientsets
// only.
func (p tagParser) method(m marker) {
	name, rest, _ := strings.Cut(m.value, ",")
	if name == "" {
		p.diags.Errorf(p.at(m.pos), "+genclient:method: no name; write +genclient:method=Name,verb=…")
	}
	verb := ""
	for _, part := range strings.Split(rest, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "verb":
			verb = value
		case "subresource", "input", "result":
		default:
			p.diags.Errorf(p.at(m.pos), "+genclient:method: unknown argument: %q; expected verb, subresource, input or result%s", key,
				suggest.DidYouMean(key, "", []string{"verb", "subresource", "input", "result"}))
		}
	}
	if !slices.Contains(verbs, verb) {
		p.unknownVerb(m, verb)
	}
	if p.clients {
		p.diags.Warnf(p.at(m.pos), "+genclient:method: the generated client has no method %s; call its Patch with the subresource, or generate a clientset instead of --clients", name)
	}
}

func (p tagParser) unknownVerb(m marker, verb string) {
	p.diags.Errorf(p.at(m.pos), "+%s: unknown verb: %q; expected one of %s%s", m.name, verb, strings.Join(verbs, ", "), suggest.DidYouMean(verb, "", verbs))
}

// verbs works out which methods a client has.
func (p tagParser) verbs(m markers) []string {
	has := func(name string) (marker, []string, bool) {
		marker, ok := m.get(name)
		if !ok || marker.value == "" {
			return marker, nil, ok
		}
		list := strings.Split(marker.value, ",")
		for i, verb := range list {
			list[i] = strings.TrimSpace(verb)
			if !slices.Contains(verbs, list[i]) {
				p.unknownVerb(marker, list[i])
			}
		}
		return marker, list, true
	}
	_, _, readonly := has("genclient:readonly")
	_, only, onlySome := has("genclient:onlyVerbs")
	skipMarker, skip, _ := has("genclient:skipVerbs")
	if readonly {
		only, onlySome = append(only, "get", "list", "watch"), true
	}
	for _, verb := range skip {
		if slices.Contains(only, verb) {
			p.diags.Errorf(p.at(skipMarker.pos), "+genclient:skipVerbs: verb %q is also among those that +genclient:onlyVerbs or +genclient:readonly keep; decide for one", verb)
		}
	}
	return slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool {
		return slices.Contains(skip, verb) || onlySome && !slices.Contains(only, verb)
	})
}

// indexMarker has the values of a marker of an index.
type indexMarker struct {
	method, function string
	pos              token.Pos
}

// indexMethod matches what a lister's method for an index can be called: nothing else in a
// lister is.
var indexMethod = regexp.MustCompile(`^By[A-Z][A-Za-z0-9_]*$`)

// index reads a marker of an index, or reports what is wrong with it.
func (p tagParser) index(m marker) (indexMarker, bool) {
	found, problems := indexMarker{pos: m.pos}, len(p.diags.Errors)
	arguments, err := parseArguments(m.value)
	switch {
	case m.extra != "":
		p.diags.Errorf(p.at(m.pos), "+%s: unexpected text: %q; write +%s, or +%s=ByNode, for example", m.name, m.extra, m.name, m.name)
	case err != nil:
		p.diags.Errorf(p.at(m.pos), "+%s: %v", m.name, err)
	}
	for i, argument := range arguments {
		switch {
		case argument.name == "func" && argument.value != "":
			found.function = argument.value
		case i > 0 || argument.value != "":
			p.diags.Errorf(p.at(m.pos), "+%s: unknown argument: %q; expected the name of a method, and for a type func=%s", m.name, argument.name,
				suggest.DidYouMean(argument.name, "", []string{"func"}))
		case !indexMethod.MatchString(argument.name):
			p.diags.Errorf(p.at(m.pos), "+%s: %q is not what a method can be called; write By and a name, such as ByNode", m.name, argument.name)
		default:
			found.method = argument.name
		}
	}
	return found, len(p.diags.Errors) == problems
}

func (p tagParser) resourceName(tag, name string, m marker) {
	if len(name) > maxName {
		p.diags.Errorf(p.at(m.pos), "%s: a name of %s; resources have at most %d", tag, diag.Count(len(name), "letter"), maxName)
	} else if !resourcePattern.MatchString(name) {
		p.diags.Errorf(p.at(m.pos), "%s: %q is not what a resource can be called; use small letters, digits and hyphens", tag, name)
	}
}

func (p tagParser) resource(tags *typeTags, m marker) {
	text := strings.TrimPrefix(m.name, "kubebuilder:resource:") + m.extra
	if m.value != "" {
		text += "=" + m.value
	}
	arguments, err := parseArguments(text)
	if err != nil {
		p.diags.Errorf(p.at(m.pos), "+kubebuilder:resource: %v", err)
	}
	for _, argument := range arguments {
		p.misspelt(marker{name: "kubebuilder:resource:" + argument.name, pos: m.pos})
		switch argument.name {
		case "path":
			tags.Path, tags.pathPos = argument.value, m.pos
			p.resourceName("+kubebuilder:resource:path", tags.Path, m)
		case "scope":
			tags.Scope, tags.scopePos = argument.value, m.pos
			if argument.value != "Cluster" && argument.value != "Namespaced" {
				p.diags.Errorf(p.at(m.pos), "+kubebuilder:resource: unknown scope: %q; expected Cluster or Namespaced%s", argument.value,
					suggest.DidYouMean(argument.value, "", []string{"Cluster", "Namespaced"}))
			}
		}
	}
}
