package statuspage

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership"
)

type memberStatus membership.Status

func (s memberStatus) Status() membership.Status { return membership.Status(s) }

// A group is shown with what each member owns, and what is wrong.
func TestMembers(t *testing.T) {
	since := func(count int, ago time.Duration) membership.SlotsStatus {
		return membership.SlotsStatus{Count: count, Since: time.Now().Add(-ago)}
	}
	member := memberStatus{
		Group: "orders", Identity: "<a>", Phase: membership.Active, HoldingUp: 2, LastError: "reset",
		Owned: since(20, time.Hour), Losing: since(3, time.Hour), Unowned: since(4, time.Hour),
		Members: []membership.MemberStatus{
			{Identity: "<a>", Owned: 20, Target: 20, State: "joined"},
			{Identity: "b", Owned: 40, Target: 44, State: "joined", Unchanged: 90 * time.Second},
		},
	}
	waiting := memberStatus{Group: "stock", Phase: membership.Joining, Waiting: "the Leases of the group could not be listed yet", LastError: "forbidden", Unowned: since(64, time.Hour)}
	page := New(justStatus{}, Options{Members: []Member{member, waiting}})
	for format, want := range map[string][]string{
		"html": {
			"Members of orders", "of 64 slots, owns 20, gives up 3, knows no owner of 4", "&lt;a> (this one)", "joined", "Members of stock",
			"no known owner of 4 slots for", "reset", "held up by 2 works", "could not be listed yet: forbidden", "knows no owner of 64",
		},
		"json": {`"group":"orders"`, `"unowned":{ "count":4`, `"lastError":"forbidden"`},
	} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest("GET", "/?format="+format, nil))
		body := strings.Join(strings.Fields(strings.NewReplacer("<wbr>", "", "&gt;", ">", ": ", ":", `": `, `":`).Replace(w.Body.String())), " ")
		for _, text := range want {
			text = strings.ReplaceAll(text, ": ", ":")
			if strings.Contains(body, "owner of 64 slots for") {
				t.Error("it says twice that it owns nothing")
			}
			if !strings.Contains(strings.ReplaceAll(body, `" :`, `":`), text) {
				t.Errorf("%s is without %q:\n%s", format, text, body)
			}
		}
	}
}
