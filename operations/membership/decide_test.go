package membership

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// scene describes a situation of member a of a group with four slots, in words: "a1 life" is the
// session a/a1, and a slot is its owner, its acquisition and more.
type scene struct {
	lives string // sessions, ":" and the state if they have not joined, "!" if not seen to live
	slots string // one word each: owner, "-" for nobody, "x" if there is no Lease; "!" as above
	holds string // of the slots, "k": known and ripe, "u": known and not ripe, "l": of an earlier term
	other string // slots of another number, as count-index=owner
	// leaving, keeping, wary and busy are those of situation.
	leaving, keeping, wary, busy bool
	min                          int
}

const sceneNow = 100 * time.Second

func (c scene) situation() situation {
	s := situation{
		options: Options{Group: "orders", Slots: 4, LeaseDuration: 15 * time.Second, RenewInterval: 2 * time.Second, MinMembers: c.min},
		session: "a/a1", began: sceneNow, seen: sightings{of: map[string]sighting{}}, holds: map[place]*hold{}, term: 2,
		view:    view{slots: map[place]*coordinationv1.Lease{}, lives: map[string]*coordinationv1.Lease{}},
		leaving: c.leaving, keeping: c.keeping, wary: c.wary, busy: func(shard.Range) bool { return c.busy },
	}
	see := func(lease *coordinationv1.Lease, word string) {
		s.seen.of[lease.Name] = sighting{since: sceneNow - time.Second}
		if strings.HasSuffix(word, "!") {
			s.seen.of[lease.Name] = sighting{since: sceneNow - 12*time.Second}
		}
	}
	for i, word := range strings.Fields(c.lives) {
		session, state, _ := strings.Cut(strings.TrimSuffix(word, "!"), ":")
		if state == "" {
			state = stateJoined
		}
		life := s.options.lifeLease(nil, session[:1]+"/"+session, state)
		life.CreationTimestamp = metav1.Time{Time: time.Unix(int64(i), 0)}
		s.view.lives[holder(life)] = life
		see(life, word)
	}
	slot := func(p place, word string, h byte) {
		owner := strings.Trim(word, "!-")
		if owner != "" {
			owner = owner[:1] + "/" + owner
		}
		known := &hold{id: "id", term: 2, ripe: sceneNow - 1}
		switch h {
		case 'l':
			known.term = 1
		case 'u':
			known.ripe = sceneNow + 1
		case 'n':
			known.ripe, known.term = 0, 0
		}
		acquisition := "another"
		if h != 0 && h != '.' {
			s.holds[p], acquisition = known, known.acquisition()
		}
		s.view.slots[p] = slotLease("orders", p, nil, owner, acquisition)
		see(s.view.slots[p], word)
	}
	for i, word := range strings.Fields(c.slots) {
		if word != "x" {
			slot(place{4, i}, word, (c.holds + "....")[i])
		}
	}
	for word := range strings.FieldsSeq(c.other) {
		name, owner, _ := strings.Cut(word, "=")
		p, ok := placeOf("orders", "orders-slot-"+name)
		if !ok {
			panic(word)
		}
		h := byte('.')
		if owner, ok := strings.CutSuffix(owner, "k"); ok {
			slot(p, owner, 'k')
			continue
		}
		slot(p, owner, h)
	}
	return s
}

// text is a decision, in words.
func (d decision) text() string {
	var words []string
	add := func(what string, p place) {
		name := fmt.Sprint(p.index)
		if p.count != d.count {
			name = fmt.Sprintf("%d-%d", p.count, p.index)
		}
		words = append(words, what+" "+name)
	}
	for p, wait := range d.take {
		if wait {
			add("wait", p)
		} else {
			add("take", p)
		}
	}
	for _, p := range d.give {
		add("give", p)
	}
	for _, lease := range d.clear {
		p, _ := placeOf("orders", lease.Name)
		add("clear", p)
	}
	for _, lease := range d.drop {
		words = append(words, "drop "+strings.TrimPrefix(strings.TrimPrefix(lease.Name, "orders-slot-"), "orders-"))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// What a member does, by what it sees.
func TestDecide(t *testing.T) {
	for name, test := range map[string]struct {
		scene
		want string
	}{
		"a new group":                             {scene{lives: "a1", slots: "x x x x"}, "wait 0, wait 1, wait 2, wait 3"},
		"without a life":                          {scene{slots: "x x - b1"}, ""},
		"not yet joined":                          {scene{lives: "a1:joining", slots: "x x - -"}, ""},
		"half of a new group":                     {scene{lives: "a1 b1", slots: "x x x x"}, "wait 0, wait 1"},
		"what was given up":                       {scene{lives: "a1", slots: "- - - -"}, "take 0, take 1, take 2, take 3"},
		"versions have gone backwards":            {scene{lives: "a1", slots: "- - - -", wary: true}, "wait 0, wait 1, wait 2, wait 3"},
		"nothing to do":                           {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "kk.."}, ""},
		"of an earlier term":                      {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "ll.."}, "take 0, take 1"},
		"a response was lost":                     {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "kn.."}, "take 1"},
		"a response was lost, not for it":         {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkn."}, "take 2"},
		"unknown acquisition":                     {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "k..."}, "wait 1"},
		"too much":                                {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkk."}, "give 2"},
		"too much, and work runs":                 {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkk.", busy: true}, ""},
		"too much, not acted on yet":              {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kku."}, ""},
		"too much, of an earlier term":            {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkl."}, "give 2"},
		"to be given up by another":               {scene{lives: "a1 b1", slots: "b1 b1 b1 b1"}, ""},
		"of the dead":                             {scene{lives: "a1 b1!", slots: "b1! b1! a1 a1", holds: "..kk"}, "take 0, take 1"},
		"of the dead, whose slots changed lately": {scene{lives: "a1 b1!", slots: "b1 b1! a1 a1", holds: "..kk"}, "take 1"},
		"of one without a life, lately":           {scene{lives: "a1", slots: "b1 b1 a1 a1", holds: "..kk"}, ""},
		"of one without a life, for long":         {scene{lives: "a1", slots: "b1! b1! a1 a1", holds: "..kk"}, "take 0, take 1"},
		"of one who lives":                        {scene{lives: "a1 b1", slots: "b1 b1 b1 a1", holds: "...k"}, ""},
		"of the dead, for another":                {scene{lives: "a1 b1 c1!", slots: "a1 a1 c1! c1!", holds: "kk.."}, "clear 2, clear 3"},
		"the dead whom no slot names":             {scene{lives: "a1 b1!", slots: "a1 a1 a1 a1", holds: "kkkk"}, "drop member-b1"},
		"that is up to the first member":          {scene{lives: "A1 a1 b1!", slots: "A1 A1 a1 a1", holds: "..kk"}, ""},
		"leaving, others do not know":             {scene{lives: "a1:leaving b1", slots: "a1 a1 b1 b1", holds: "kk..", leaving: true, keeping: true}, ""},
		"leaving":                                 {scene{lives: "a1:leaving b1", slots: "a1 a1 - b1", holds: "kk..", leaving: true}, "give 0, give 1"},
		"leaving, and unknown":                    {scene{lives: "a1:leaving b1", slots: "a1 a1 b1 b1", leaving: true}, ""},
		"another leaves":                          {scene{lives: "a1 b1:leaving", slots: "a1 a1 - b1", holds: "kk.."}, "take 2"},
		"the same identity, later":                {scene{lives: "a1 a2", slots: "a1 a1 a1 a1", holds: "kkkk"}, "give 0, give 1, give 2, give 3"},
		"the same identity, earlier":              {scene{lives: "a2! a1", slots: "a2! a2 - a2"}, "take 0, take 2"},
		"too few":                                 {scene{lives: "a1 b1", slots: "a1 a1 a1 -", holds: "kkk.", min: 3}, ""},
		"other numbers of slots, fewer":           {scene{lives: "a1", slots: "a1 a1 a1 a1", holds: "kkkk", other: "2-0=- 2-1=b1"}, "give 4-0, give 4-1, give 4-2, give 4-3, take 0"},
		"other numbers of slots, more":            {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "kk..", other: "8-0=- 8-1=b1 8-2=b1! 8-3=a1k 8-4=a1"}, "drop 8-0, drop 8-2, give 8-3, wait 8-4"},
		"other numbers of slots, up to the first": {scene{lives: "A1 a1", slots: "A1 A1 a1 a1", holds: "..kk", other: "8-0=-"}, ""},
		"other numbers, versions backwards":       {scene{lives: "a1", slots: "a1 a1 a1 a1", holds: "kkkk", other: "8-0=-", wary: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decide(test.situation()).text(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A Lease is unchanged since it was first seen so, without the time in which nothing was read.
func TestSightings(t *testing.T) {
	o := Options{Group: "orders"}
	of := func(version string) view {
		life := o.lifeLease(nil, "b/1", stateJoined)
		life.ResourceVersion = version
		slot := slotLease("orders", place{1, 0}, nil, "b/1", "x")
		return view{lives: map[string]*coordinationv1.Lease{"b/1": life}, slots: map[place]*coordinationv1.Lease{{1, 0}: slot}}
	}
	none := of("1")
	none.lives = nil
	var seen sightings
	for i, step := range []struct {
		view            view
		began, received time.Duration
		want            time.Duration
	}{
		{of("1"), 10, 12, 12},
		{of("1"), 20, 22, 12},
		{of("2"), 30, 31, 31},
		{of("2"), 40, 41, 31},
		{of("2"), 141, 142, 121}, // 90 of 100 do not count
		{none, 150, 151, 151},    // as if it had been renewed just before
		{none, 155, 156, 151},
	} {
		seen = seen.add(step.view, step.began, step.received, 10)
		if got := seen.of["orders-slot-1-0"].since; got != step.want {
			t.Errorf("step %d: slot unchanged since %d, want %d", i, got, step.want)
		}
	}
}

// Names of Leases are read as they are written, and no others.
func TestNames(t *testing.T) {
	for _, p := range []place{{1, 0}, {64, 7}, {1024, 1023}} {
		if got, ok := placeOf("orders", p.name("orders")); !ok || got != p {
			t.Errorf("%v has the name %q: %v, %v", p, p.name("orders"), got, ok)
		}
	}
	for _, name := range []string{
		"orders", "orders-slot-", "orders-slot-64-7", "orders-slot-64-64", "orders-slot-64--1", "orders-slot-0-0",
		"orders-slot-2048-0000", "orders-slot-64-07-x", "other-slot-64-07", "orders-member-64-07", "orders-slot-064-07",
	} {
		if p, ok := placeOf("orders", name); ok {
			t.Errorf("%q is %v", name, p)
		}
	}
	if got := lifeName("orders", newSession("a/b")); !strings.HasPrefix(got, "orders-member-") || identityOf("a/b/1") != "a/b" || identityOf("x") != "" {
		t.Errorf("life %q", got)
	}
}
