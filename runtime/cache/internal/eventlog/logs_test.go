package eventlog

import (
	"fmt"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

// Each log has the events that its readers want: staged ones when they are appended, in order
// with the others.
func TestLogs(t *testing.T) {
	var logs Logs
	if wanted := logs.Wanted(); wanted != (Wanted{}) {
		t.Errorf("without readers: %v", wanted)
	}
	var changes, everything Cursor
	logs.Changes.Open(&changes)
	logs.Everything.Open(&everything)
	wanted := logs.Wanted()
	if wanted != (Wanted{Changes: true, Unchanged: true}) {
		t.Errorf("with readers: %v", wanted)
	}
	logs.Append(&Event{Kind: Added, Object: 1})
	logs.Show()
	why := &cause.Cause{Kind: cause.List}
	logs.BeginStage(why)
	logs.Stage(&Event{Kind: Updated, Object: "void"}, wanted)
	logs.BeginStage(why)
	logs.Stage(&Event{Kind: Unchanged, Object: 2}, wanted)
	logs.Stage(&Event{Kind: Updated, Object: 3}, wanted)
	logs.AppendStaged()
	logs.Append(&Event{Kind: Unchanged, Object: 4})
	logs.Show()
	for _, test := range []struct {
		cursor *Cursor
		want   string
	}{{&changes, "[1 3]"}, {&everything, "[1 2 3 4]"}} {
		var got []any
		for test.cursor.Ready() > 0 {
			got = append(got, test.cursor.Next().Object)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("got %v, want %s", got, test.want)
		}
	}
}
