package statuspage

import (
	"fmt"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership"
)

const (
	// unownedAfter is the time for which slots may have no owner before that is a problem, and heldAfter
	// the time that giving slots up may take.
	unownedAfter, heldAfter = 2 * time.Minute, 10 * time.Minute
)

func (v view) members() (sections markup) {
	for i, s := range v.Members {
		heading := "members"
		if i > 0 {
			heading = fmt.Sprint("members-", i)
		}
		t := table{columns: []column{{"Member", "name"}, {"State", ""}, {"Owns", "n"}, {"Should own", "n"}, {"Life unchanged", "n"}}}
		for _, m := range s.Members {
			name := m.Identity
			if m.Identity == s.Identity {
				name += " (this one)"
			}
			t.row(name, m.State, m.Owned, m.Target, m.Unchanged)
		}
		sections += section(heading, "Members of "+s.Group, slotsOf(s), t.html(heading))
	}
	return sections
}

// slotsOf describes a member's slots.
func slotsOf(s membership.Status) string {
	text := fmt.Sprintf("%s: of %s, owns %d", s.Phase, plural(membership.Slots, "slot"), s.Owned.Count)
	for _, also := range []struct {
		count int
		what  string
	}{{s.Gaining.Count, "gains"}, {s.Losing.Count, "gives up"}, {s.Unowned.Count, "knows no owner of"}} {
		if also.count > 0 {
			text += fmt.Sprintf(", %s %d", also.what, also.count)
		}
	}
	return text
}

func (p *problems) ofMember(s membership.Status, now time.Time) {
	subject := "member of " + s.Group
	why := ""
	if s.LastError != "" {
		why = ": " + summary(s.LastError)
	}
	if s.Owned.Count == 0 && s.Waiting != "" {
		p.add(s.Phase != membership.Active, subject, "owns nothing: "+s.Waiting+why,
			"It has to list, create and update Leases, under an identity of its own.")
	}
	if n := s.Unowned; s.Phase == membership.Active && n.Count > 0 && now.Sub(n.Since) > unownedAfter {
		p.add(urgent, subject, fmt.Sprintf("no known owner of %s for %s%s", plural(n.Count, "slot"), brief(now.Sub(n.Since)), why),
			"No replica works on their objects. See the log and the last error of each one.")
	}
	if n := s.Losing; n.Count > 0 && now.Sub(n.Since) > heldAfter {
		p.add(urgent, subject, fmt.Sprintf("%s to be given up for %s, held up by %s", plural(n.Count, "slot"), brief(now.Sub(n.Since)), plural(s.HoldingUp, "work")),
			"A goroutine dump says what the work waits for. Restart the replica.")
	}
}
