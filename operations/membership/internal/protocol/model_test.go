package protocol

import "testing"

// The model has the rules of package membership for one slot and two members, without code of this package.
// It tries every order of the steps that the members, the network and people take. Time goes in ticks of
// the true time. A member acts for acts ticks, as if its clock were the slowest. The other member waits for
// waits, as if its clock were the fastest. The model leaves open which member should own the slot: whenever
// the rules allow that a member takes it or gives it up, it may.
const acts, waits = 2, 2

// Owners of the slot: members 0 and 1, and these.
const (
	absent int8 = iota - 2 // the Lease does not exist
	nobody
	former int8 = 2 // Unknown, or a session of a process that has ended
)

// state is all there is.
type state struct {
	owner   int8
	members [2]process
}

// process is a member.
type process struct {
	until  int8 // ticks that it may act for
	listed bool // it has listed, and not renewed its life since
	age    int8 // ticks since it began to list
	view   int8 // the owner, as it was listed or written last
	stale  bool // the slot has changed since then
	unseen bool // the slot or the life of its owner has changed since it was listed
	seen   int8 // ticks since it was seen so
	dead   bool // that was long enough when the list began
	// acquired reports whether this process has acquired the slot and not lost it since, and written
	// whether it has written it since it may act.
	acquired, written bool
	write             request // whose response it waits for
	stray             request // whose response it does not wait for any more
}

// request is a write that may arrive at any time.
type request struct {
	kind   kind
	stale  bool // the slot has changed since it was listed
	broken bool // there was a time in which the member might not act, since it was sent
}

type kind int8

const (
	none kind = iota
	take
	doubt // which names an owner that is not known
	free
)

// without has the rules that are left out, to see that the model finds what is wrong then.
type without struct{ wait, rewrite, again, death, swap bool }

func (s state) acting(m int) bool {
	p := s.members[m]
	return p.until > 0 && p.view == int8(m) && p.acquired && p.written
}

// changed notes that the slot has another state.
func (s state) changed(owner int8) state {
	s.owner = owner
	for m := range s.members {
		p := &s.members[m]
		p.stale, p.unseen, p.write.stale, p.stray.stale = true, true, true, true
	}
	return s
}

// renewed notes that the life of a member has changed.
func (s state) renewed(m int) state {
	if other := &s.members[1-m]; other.view == int8(m) {
		other.unseen = true
	}
	return s
}

// next returns all states that may follow.
func (s state) next(r without) []state {
	all := []state{s.tick(r)}
	if s.owner != absent {
		all = append(all, s.changed(absent)) // by hand
	}
	for m := range s.members {
		p := s.members[m]
		all = append(all, s.renewed(m), s.restarted(m)) // a life may be deleted, or its renewal have no response
		change := func(f func(p *process)) state {
			n := s
			f(&n.members[m])
			return n
		}
		if p.listed {
			n := change(func(p *process) { p.listed, p.until = false, max(p.until, acts-p.age) }).renewed(m)
			all = append(all, n)
			if kind := n.members[m].decide(m, r); kind != none {
				n.members[m].write = request{kind: kind, stale: p.stale}
				all = append(all, n)
			}
		}
		if p.stray.kind != none {
			n := change(func(p *process) { p.stray = request{} })
			all = append(all, n, n.arrive(m, p.stray, r))
		}
		if p.write.kind != none {
			n := change(func(p *process) { p.write = request{} })
			all = append(all, n, n.arrive(m, p.write, r), n.answered(m, p.write, r))
			all = append(all, change(func(p *process) { p.write, p.stray = request{}, p.write }))
			continue // it neither lists nor writes
		}
		for age := range int8(acts + 1) {
			all = append(all, s.list(m, age))
		}
		if p.view == int8(m) && p.acquired {
			all = append(all, change(func(p *process) {
				p.written = p.written && r.again
				p.write = request{kind: free, stale: p.stale}
			}))
		}
	}
	return all
}

// tick lets time pass.
func (s state) tick(r without) state {
	for m := range s.members {
		p := &s.members[m]
		p.age, p.seen = min(p.age+1, acts), min(p.seen+1, waits+acts)
		if p.until = max(p.until-1, 0); p.until == 0 && !r.rewrite {
			p.written, p.write.broken = false, true
		}
	}
	return s
}

// restarted ends a process, and begins another one, which knows nothing.
func (s state) restarted(m int) state {
	if s.owner == int8(m) {
		s.owner = former
	}
	if other := &s.members[1-m]; other.view == int8(m) {
		other.view = former
	}
	s.members[m] = process{view: absent}
	return s
}

// list reads the slot and what is known of its owner, by a request that began some ticks before.
func (s state) list(m int, age int8) state {
	p := &s.members[m]
	p.dead = !p.unseen && p.view == s.owner && p.seen-age >= waits
	if p.unseen || p.view != s.owner {
		p.seen = 0
	}
	p.listed, p.age, p.view, p.stale, p.unseen = true, age, s.owner, false, false
	if s.owner != int8(m) {
		p.acquired, p.written = false, false
	}
	return s
}

// decide returns what the process writes to take the slot.
func (p process) decide(m int, r without) kind {
	unknown := p.view == absent || p.view == int8(m) && !p.acquired
	switch {
	case unknown && !r.wait:
		return doubt // whether it may act or not
	case p.until == 0 || p.acquired && p.written:
		return none
	case unknown || p.view == int8(m) || p.view == nobody || p.dead || r.death:
		return take
	}
	return none
}

// arrive lets a request reach the server, whose response is lost.
func (s state) arrive(m int, w request, r without) state {
	if w.stale && !r.swap {
		return s // a conflict
	}
	return s.changed(map[kind]int8{take: int8(m), doubt: former, free: nobody}[w.kind])
}

// answered is arrive with a response.
func (s state) answered(m int, w request, r without) state {
	if w.stale && !r.swap {
		return s
	}
	s = s.arrive(m, w, r)
	p := &s.members[m]
	p.view, p.stale = s.owner, false
	p.acquired = w.kind == take
	p.written = w.kind == take && !w.broken
	return s
}

// canonical leaves out what has no consequences, and which member is which.
func (s state) canonical() state {
	for m := range s.members {
		p := &s.members[m]
		if !p.listed {
			p.age, p.dead = 0, false
		}
		if p.view == absent || p.view == nobody || p.view == int8(m) {
			p.seen, p.unseen = 0, true
		} else if p.unseen {
			p.seen = 0
		}
		for _, w := range []*request{&p.write, &p.stray} {
			if w.kind == none || w == &p.stray && w.stale {
				*w = request{}
			}
		}
		p.stray.broken = false
	}
	return s
}

// explore tries everything, and returns the steps to a state in which two act, if there is one.
func explore(r without) (states int, path []state) {
	begin := state{owner: absent, members: [2]process{{view: absent}, {view: absent}}}
	begin = begin.canonical()
	before := map[state]state{begin: begin}
	queue := []state{begin}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.acting(0) && s.acting(1) {
			for ; s != begin; s = before[s] {
				path = append(path, s)
			}
			return len(before), path
		}
		for _, n := range s.next(r) {
			n = n.canonical()
			if _, ok := before[n]; !ok {
				before[n] = s
				queue = append(queue, n)
			}
		}
	}
	return len(before), nil
}

// No two members act on a slot, whatever happens in whatever order; without any of the rules they do.
func TestModel(t *testing.T) {
	for name, r := range map[string]without{
		"waiting for what was not seen given up": {wait: true},
		"writing again after a break":            {rewrite: true},
		"writing again after giving up in vain":  {again: true},
		"waiting for the dead":                   {death: true},
		"compare and swap":                       {swap: true},
	} {
		if states, path := explore(r); path == nil {
			t.Errorf("without %s: nothing goes wrong in %d states", name, states)
		}
	}
	states, path := explore(without{})
	t.Logf("%d states", states)
	for i := range path {
		t.Errorf("%d: %+v", i, path[len(path)-1-i])
	}
}
