package protocol

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// scene describes a situation of member a of a group with four slots, in words: "a1 life" is the
// session a/a1, and a slot is its owner, its acquisition and more.
type scene struct {
	lives string // sessions, ":" and the state if they have not joined, "~" if not seen to live lately, "!" not at all
	slots string // one word each: owner, "-" for nobody, "x" if there is no Lease, "?" for Unknown; "!" as above
	holds string // of the slots, "w": acquired and written, "a": acquired
	// leaving is for how long; wary is as in a situation, and busy in all slots.
	leaving    time.Duration
	wary, busy bool
}

var orders = Group{Name: "orders", LeaseDuration: 16 * time.Second}

const sceneNow = 100 * time.Second

func (c scene) situation() Situation {
	s := Situation{
		Group:   orders,
		Session: "a/a1",
		View:    View{Slots: make([]*coordinationv1.Lease, 4), Lives: map[string]*coordinationv1.Lease{}, began: sceneNow, seen: map[string]sighting{}},
	}
	if c.leaving > 0 {
		s.Leaving = sceneNow - c.leaving
	}
	if c.wary {
		s.Wary = sceneNow + 1
	}
	if c.busy {
		s.Busy = ^Set(0)
	}
	see := func(lease *coordinationv1.Lease, word string) {
		ago := time.Second
		switch {
		case strings.HasSuffix(word, "!!"):
			ago = 2 * orders.LeaseDuration
		case strings.HasSuffix(word, "!"):
			ago = orders.clearAfter()
		case strings.HasSuffix(word, "~"):
			ago = 2 * orders.RenewInterval()
		}
		s.View.seen[lease.Name] = sighting{since: sceneNow - ago}
	}
	for i, word := range strings.Fields(c.lives) {
		session, state, _ := strings.Cut(strings.TrimRight(word, "!~"), ":")
		if state == "" {
			state = Active
		}
		session = session[:1] + "/" + session
		life := s.Lease(nil, s.LifeName(session), session, state)
		life.CreationTimestamp = metav1.Time{Time: time.Unix(int64(i), 0)}
		s.View.Lives[Holder(life)] = life
		see(life, word)
	}
	for slot, word := range strings.Fields(c.slots) {
		if word == "x" {
			continue
		}
		owner := strings.Trim(word, "!-")
		if owner == "?" {
			owner = Unknown
		} else if owner != "" {
			owner = owner[:1] + "/" + owner
		}
		switch (c.holds + "....")[slot] {
		case 'w':
			s.Acquired |= SetOf(slot)
			s.Written |= SetOf(slot)
		case 'a':
			s.Acquired |= SetOf(slot)
		}
		s.View.Slots[slot] = orders.Lease(nil, orders.SlotName(slot), owner, "")
		see(s.View.Slots[slot], word)
	}
	return s
}

// text is a decision, in words.
func (d Decision) text() string {
	var words []string
	for slot, owner := range d.Write {
		what := map[string]string{"": "free", Unknown: "doubt", "a/a1": "take"}[owner]
		words = append(words, fmt.Sprint(what, " ", slot))
	}
	for _, life := range d.Drop {
		words = append(words, "drop "+strings.TrimPrefix(life.Name, "orders-"))
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
		"a new group":         {scene{lives: "a1", slots: "x x x x"}, "doubt 0, doubt 1, doubt 2, doubt 3"},
		"without a life":      {scene{slots: "x x - b1"}, ""},
		"not yet active":      {scene{lives: "a1:joining", slots: "x x - -"}, ""},
		"half of a new group": {scene{lives: "a1 b1", slots: "x x x x"}, "doubt 0, doubt 1"},
		"without a Lease, of one not seen lately": {scene{lives: "a1 b1~", slots: "a1 a1 x x", holds: "ww.."}, "doubt 2, doubt 3"},
		"the same, up to the first member":        {scene{lives: "A1 a1 b1~", slots: "A1 a1 a1 x", holds: ".ww."}, ""},
		"what was given up":                       {scene{lives: "a1", slots: "- - - -"}, "take 0, take 1, take 2, take 3"},
		"what was not seen given up":              {scene{lives: "a1", slots: "? ? ? ?!"}, "take 3"},
		"versions have gone backwards":            {scene{lives: "a1", slots: "- ?! x a1", wary: true}, "doubt 2, doubt 3, take 1"},
		"nothing to do":                           {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "ww.."}, ""},
		"not written since it may act":            {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "aa.."}, "take 0, take 1"},
		"a response was lost":                     {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "w..."}, "doubt 1"},
		"a response was lost, not for it":         {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "ww.."}, "doubt 2"},
		"too much":                                {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "www."}, "free 2"},
		"too much, and work runs":                 {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "www.", busy: true}, ""},
		"too much, not written since it may act":  {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "wwa."}, "free 2"},
		"to be given up by another":               {scene{lives: "a1 b1", slots: "b1 b1 b1 b1"}, ""},
		"of the dead":                             {scene{lives: "a1 b1!", slots: "b1! b1! a1 a1", holds: "..ww"}, "take 0, take 1"},
		"of the dead, whose slots changed lately": {scene{lives: "a1 b1!", slots: "b1 b1! a1 a1", holds: "..ww"}, "take 1"},
		"of one without a life, lately":           {scene{lives: "a1", slots: "b1 b1 a1 a1", holds: "..ww"}, ""},
		"of one without a life, for long":         {scene{lives: "a1", slots: "b1! b1! a1 a1", holds: "..ww"}, "take 0, take 1"},
		"of one who lives":                        {scene{lives: "a1 b1", slots: "b1 b1 b1 a1", holds: "...w"}, ""},
		"of one in a state of another version":    {scene{lives: "a1 b1:resting", slots: "b1 b1 a1 a1", holds: "..ww"}, ""},
		"of such a one, dead":                     {scene{lives: "a1 b1:resting!", slots: "b1! b1! a1 a1", holds: "..ww"}, "take 0, take 1"},
		"of the dead, for another":                {scene{lives: "a1 b1 c1!", slots: "a1 a1 c1! c1!", holds: "ww.."}, "free 2, free 3"},
		"the dead":                                {scene{lives: "a1 b1!", slots: "a1 a1 a1 a1", holds: "wwww"}, ""},
		"the dead, for long":                      {scene{lives: "a1 b1!!", slots: "a1 a1 a1 a1", holds: "wwww"}, "drop member-b1"},
		"that is up to the first member":          {scene{lives: "A1 a1 b1!!", slots: "A1 A1 a1 a1", holds: "..ww"}, ""},
		"leaving, others do not know":             {scene{lives: "a1:leaving b1", slots: "a1 a1 b1 b1", holds: "ww..", leaving: time.Second}, ""},
		"leaving":                                 {scene{lives: "a1:leaving b1", slots: "a1 a1 - b1", holds: "ww..", leaving: 3 * time.Second}, "free 0, free 1"},
		"leaving, alone":                          {scene{lives: "a1:leaving", slots: "a1 a1 - x", holds: "ww..", leaving: time.Second}, "free 0, free 1"},
		"leaving, and unknown":                    {scene{lives: "a1:leaving b1", slots: "a1 a1 b1 b1", leaving: 3 * time.Second}, ""},
		"another leaves":                          {scene{lives: "a1 b1:leaving", slots: "a1 a1 - b1", holds: "ww.."}, "take 2"},
		"the same identity, later":                {scene{lives: "a1 a2", slots: "a1 a1 a1 a1", holds: "wwww"}, "free 0, free 1, free 2, free 3"},
		"the same identity, earlier":              {scene{lives: "a2! a1", slots: "a2! a2 - a2"}, "take 0, take 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Decide(test.situation()).text(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A member knows the later one that lives under its identity, and gets its slots.
func TestRival(t *testing.T) {
	for name, test := range map[string]struct {
		scene
		want string
	}{
		"alone":                         {scene{lives: "a1"}, ""},
		"other identities":              {scene{lives: "a1 b1"}, ""},
		"an earlier one":                {scene{lives: "a0 a1"}, ""},
		"a later one":                   {scene{lives: "a1 a2"}, "a/a2"},
		"the latest of several":         {scene{lives: "a1 a2 a3"}, "a/a3"},
		"a later one, dead":             {scene{lives: "a1 a2!"}, ""},
		"a later one that joins":        {scene{lives: "a1 a2:joining"}, ""},
		"a later one that leaves":       {scene{lives: "a1 a2:leaving"}, ""},
		"one of before, while it joins": {scene{lives: "a0 a1:joining"}, ""},
		"while it leaves":               {scene{lives: "a1:leaving a2", leaving: time.Second}, ""},
	} {
		test.slots = "- - - -"
		if got := Decide(test.situation()).Rival; got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A slot has no owner if no member is known that may act on it.
func TestUnowned(t *testing.T) {
	for name, test := range map[string]struct {
		scene
		want Set
	}{
		"of nobody, missing, and unknown": {scene{lives: "a1 b1", slots: "- x ? b1"}, 0b0111},
		"of a member that lives":          {scene{lives: "a1 b1", slots: "b1 b1 b1 b1"}, 0},
		"of the dead":                     {scene{lives: "a1 b1!", slots: "b1! b1! b1 b1"}, 0b0011},
		"its own":                         {scene{lives: "a1", slots: "a1 a1 a1 a1", holds: "wwww"}, 0},
		"its own, while it may not act":   {scene{lives: "a1", slots: "a1 a1 a1 a1", holds: "wwaa"}, 0b1100},
		"its own, by a lost response":     {scene{lives: "a1", slots: "a1 a1 a1 a1", holds: "www."}, 0b1000},
	} {
		if got := Decide(test.situation()).Unowned; got != test.want {
			t.Errorf("%s: got %04b, want %04b", name, got, test.want)
		}
	}
}

// A Lease is unchanged since it was first seen so, without the time in which nothing was read.
func TestSightings(t *testing.T) {
	of := func(version string) *coordinationv1.LeaseList {
		life := orders.Lease(nil, orders.LifeName("b/1"), "b/1", Active)
		life.ResourceVersion = version
		return &coordinationv1.LeaseList{Items: []coordinationv1.Lease{*orders.Lease(nil, orders.SlotName(0), "b/1", ""), *life}}
	}
	none := of("1")
	none.Items = none.Items[:1]
	var v View
	for i, step := range []struct {
		list            *coordinationv1.LeaseList
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
		v = Group{Name: "orders", LeaseDuration: 64}.View(v, step.list, step.began, step.received) // renewed after 8, of which 10 count
		if got := v.seen["orders-slot-00"].since; got != step.want {
			t.Errorf("step %d: slot unchanged since %d, want %d", i, got, step.want)
		}
	}
}

// Writing a slot again changes it, whatever time it is: servers do not write what does not change.
func TestWritesDiffer(t *testing.T) {
	first := orders.Lease(nil, orders.SlotName(0), "b/1", "")
	again := orders.Lease(first, first.Name, "b/1", "")
	again.Spec.RenewTime = first.Spec.RenewTime
	if reflect.DeepEqual(first, again) {
		t.Errorf("written again: %v", again)
	}
}

// A view has the slots and lives of the group, and no other Leases.
func TestView(t *testing.T) {
	list := &coordinationv1.LeaseList{}
	list.ResourceVersion = "7"
	for _, name := range []string{"orders", "orders-slot-07", "orders-slot-7", "orders-slot-64", "orders-slot--1", "orders-member-x", "orders-member-y", "other-slot-08"} {
		lease := coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}
		lease.Spec.HolderIdentity = new("a/b/x")
		list.Items = append(list.Items, lease)
	}
	v := orders.View(View{}, list, 0, 0)
	for slot, lease := range v.Slots {
		if (lease != nil) != (slot == 7) {
			t.Errorf("slot %d: %v", slot, lease)
		}
	}
	if v.Version != 7 || len(v.Lives) != 1 || v.Lives["a/b/x"].Name != "orders-member-x" {
		t.Errorf("version %d, lives %v", v.Version, v.Lives)
	}
	if got := orders.LifeName(NewSession("a/b")); !strings.HasPrefix(got, "orders-member-") || IdentityOf("a/b/1") != "a/b" || IdentityOf("x") != "" {
		t.Errorf("life %q", got)
	}
}
