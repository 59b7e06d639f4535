package protocol

import (
	"fmt"
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
	lives string // sessions, ":" and the state if they have not joined, "!" if not seen to live
	slots string // one word each: owner, "-" for nobody, "x" if there is no Lease; "!" as above
	holds string // of the slots, "k": known and ripe, "u": known and not ripe, "l": not written since
	// leaving, keeping, wary and busy are those of situation.
	leaving, keeping, wary, busy bool
}

var orders = Group{Name: "orders", LeaseDuration: 15 * time.Second, RenewInterval: 2 * time.Second}

const sceneNow = 100 * time.Second

func (c scene) situation() Situation {
	s := Situation{
		Group:   orders,
		Session: "a/a1", Began: sceneNow, Seen: Sightings{of: map[string]sighting{}}, Holds: map[int]*Hold{},
		View:    View{Slots: make([]*coordinationv1.Lease, 4), Lives: map[string]*coordinationv1.Lease{}},
		Leaving: c.leaving, Keeping: c.keeping, Wary: c.wary, Busy: func(int) bool { return c.busy },
	}
	see := func(lease *coordinationv1.Lease, word string) {
		s.Seen.of[lease.Name] = sighting{since: sceneNow - time.Second}
		if strings.HasSuffix(word, "!") {
			s.Seen.of[lease.Name] = sighting{since: sceneNow - 12*time.Second}
		}
	}
	for i, word := range strings.Fields(c.lives) {
		session, state, _ := strings.Cut(strings.TrimSuffix(word, "!"), ":")
		if state == "" {
			state = Joined
		}
		life := s.Life(nil, session[:1]+"/"+session, state)
		life.CreationTimestamp = metav1.Time{Time: time.Unix(int64(i), 0)}
		s.View.Lives[Holder(life)] = life
		see(life, word)
	}
	for slot, word := range strings.Fields(c.slots) {
		if word == "x" {
			continue
		}
		owner := strings.Trim(word, "!-")
		if owner != "" {
			owner = owner[:1] + "/" + owner
		}
		known, acquisition := &Hold{id: "id", written: true, ripe: sceneNow - 1}, "another"
		switch h := (c.holds + "....")[slot]; h {
		case 'l':
			known.written = false
		case 'u':
			known.ripe = sceneNow + 1
		case 'n':
			known.ripe, known.written = 0, false
		case '.':
			known = nil
		}
		if known != nil {
			s.Holds[slot], acquisition = known, known.acquisition()
		}
		s.View.Slots[slot] = orders.Slot(slot, nil, owner, acquisition)
		see(s.View.Slots[slot], word)
	}
	return s
}

// text is a decision, in words.
func (d Decision) text() string {
	var words []string
	for slot, wait := range d.Take {
		if wait {
			words = append(words, fmt.Sprint("wait ", slot))
		} else {
			words = append(words, fmt.Sprint("take ", slot))
		}
	}
	for _, slot := range d.Free {
		words = append(words, fmt.Sprint("free ", slot))
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
		"a new group":                             {scene{lives: "a1", slots: "x x x x"}, "wait 0, wait 1, wait 2, wait 3"},
		"without a life":                          {scene{slots: "x x - b1"}, ""},
		"not yet joined":                          {scene{lives: "a1:joining", slots: "x x - -"}, ""},
		"half of a new group":                     {scene{lives: "a1 b1", slots: "x x x x"}, "wait 0, wait 1"},
		"what was given up":                       {scene{lives: "a1", slots: "- - - -"}, "take 0, take 1, take 2, take 3"},
		"versions have gone backwards":            {scene{lives: "a1", slots: "- - - -", wary: true}, "wait 0, wait 1, wait 2, wait 3"},
		"nothing to do":                           {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "kk.."}, ""},
		"not written since it may act":            {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "ll.."}, "take 0, take 1"},
		"a response was lost":                     {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "kn.."}, "take 1"},
		"a response was lost, not for it":         {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkn."}, "take 2"},
		"unknown acquisition":                     {scene{lives: "a1 b1", slots: "a1 a1 b1 b1", holds: "k..."}, "wait 1"},
		"too much":                                {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkk."}, "free 2"},
		"too much, and work runs":                 {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkk.", busy: true}, ""},
		"too much, not acted on yet":              {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kku."}, ""},
		"too much, not written since it may act":  {scene{lives: "a1 b1", slots: "a1 a1 a1 b1", holds: "kkl."}, "free 2"},
		"to be given up by another":               {scene{lives: "a1 b1", slots: "b1 b1 b1 b1"}, ""},
		"of the dead":                             {scene{lives: "a1 b1!", slots: "b1! b1! a1 a1", holds: "..kk"}, "take 0, take 1"},
		"of the dead, whose slots changed lately": {scene{lives: "a1 b1!", slots: "b1 b1! a1 a1", holds: "..kk"}, "take 1"},
		"of one without a life, lately":           {scene{lives: "a1", slots: "b1 b1 a1 a1", holds: "..kk"}, ""},
		"of one without a life, for long":         {scene{lives: "a1", slots: "b1! b1! a1 a1", holds: "..kk"}, "take 0, take 1"},
		"of one who lives":                        {scene{lives: "a1 b1", slots: "b1 b1 b1 a1", holds: "...k"}, ""},
		"of the dead, for another":                {scene{lives: "a1 b1 c1!", slots: "a1 a1 c1! c1!", holds: "kk.."}, "free 2, free 3"},
		"the dead whom no slot names":             {scene{lives: "a1 b1!", slots: "a1 a1 a1 a1", holds: "kkkk"}, "drop member-b1"},
		"that is up to the first member":          {scene{lives: "A1 a1 b1!", slots: "A1 A1 a1 a1", holds: "..kk"}, ""},
		"leaving, others do not know":             {scene{lives: "a1:leaving b1", slots: "a1 a1 b1 b1", holds: "kk..", leaving: true, keeping: true}, ""},
		"leaving":                                 {scene{lives: "a1:leaving b1", slots: "a1 a1 - b1", holds: "kk..", leaving: true}, "free 0, free 1"},
		"leaving, and unknown":                    {scene{lives: "a1:leaving b1", slots: "a1 a1 b1 b1", leaving: true}, ""},
		"another leaves":                          {scene{lives: "a1 b1:leaving", slots: "a1 a1 - b1", holds: "kk.."}, "take 2"},
		"the same identity, later":                {scene{lives: "a1 a2", slots: "a1 a1 a1 a1", holds: "kkkk"}, "free 0, free 1, free 2, free 3"},
		"the same identity, earlier":              {scene{lives: "a2! a1", slots: "a2! a2 - a2"}, "take 0, take 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Decide(test.situation()).text(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A Lease is unchanged since it was first seen so, without the time in which nothing was read.
func TestSightings(t *testing.T) {
	of := func(version string) View {
		life := orders.Life(nil, "b/1", Joined)
		life.ResourceVersion = version
		slot := orders.Slot(0, nil, "b/1", "x")
		return View{Lives: map[string]*coordinationv1.Lease{"b/1": life}, Slots: []*coordinationv1.Lease{slot, nil}}
	}
	none := of("1")
	none.Lives = nil
	var seen Sightings
	for i, step := range []struct {
		view            View
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
		seen = seen.Add(step.view, step.began, step.received, 10)
		if got := seen.of["orders-slot-00"].since; got != step.want {
			t.Errorf("step %d: slot unchanged since %d, want %d", i, got, step.want)
		}
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
	v := orders.View(list)
	for slot, lease := range v.Slots {
		if (lease != nil) != (slot == 7) {
			t.Errorf("slot %d: %v", slot, lease)
		}
	}
	if lives := v.Sessions(); v.Version != 7 || len(lives) != 1 || v.Lives["a/b/x"].Name != "orders-member-x" {
		t.Errorf("version %d, lives %q", v.Version, lives)
	}
	if got := orders.LifeName(NewSession("a/b")); !strings.HasPrefix(got, "orders-member-") || IdentityOf("a/b/1") != "a/b" || IdentityOf("x") != "" {
		t.Errorf("life %q", got)
	}
}
