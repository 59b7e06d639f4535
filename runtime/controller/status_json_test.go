package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

// fullStatus has a value in every field.
func fullStatus() Status {
	return Status{
		Name: "orders", Synced: true, Stopped: true,
		Fence: 2 * time.Second, Waiting: 3, Oldest: 1500 * time.Millisecond, WaitingLive: 1, OldestLive: time.Second, Delayed: 2,
		Running:        []Running{{types.NamespacedName{Namespace: "shop", Name: "first"}, 20 * time.Second}, {types.NamespacedName{Name: "node"}, time.Second}},
		AwaitingWrites: 1,
		Succeeded:      40, Failed: 5, Terminal: 2, Panicked: 1, LastPanic: time.Date(2026, 11, 22, 6, 10, 0, 0, time.UTC),
		LastError:     errors.New("warehouse is full"),
		LastErrorKey:  types.NamespacedName{Namespace: "shop", Name: "second"},
		LastErrorTime: time.Date(2026, 11, 22, 6, 30, 0, 0, time.UTC),
		Overdue:       6,
		OverdueWrites: []KeyError{
			{types.NamespacedName{Namespace: "shop", Name: "fourth"}, errors.New("store is at 12"), time.Date(2026, 11, 22, 6, 25, 0, 0, time.UTC)},
		},
		TerminalErrors: []KeyError{
			{types.NamespacedName{Namespace: "shop", Name: "third"}, errors.New("customer is unknown"), time.Date(2026, 11, 22, 6, 20, 0, 0, time.UTC)},
		},
	}
}

func TestStatusJSON(t *testing.T) {
	for _, test := range []struct {
		name   string
		status Status
		want   string
	}{
		{"every field", fullStatus(), `{
  "name": "orders",
  "synced": true,
  "stopped": true,
  "fence": "2s",
  "waiting": 3,
  "oldest": "1.5s",
  "waitingLive": 1,
  "oldestLive": "1s",
  "delayed": 2,
  "running": [
    {
      "key": "shop/first",
      "for": "20s"
    },
    {
      "key": "/node",
      "for": "1s"
    }
  ],
  "awaitingWrites": 1,
  "overdueWrites": [
    {
      "key": "shop/fourth",
      "error": {
        "message": "store is at 12"
      },
      "time": "2026-11-22T06:25:00Z"
    }
  ],
  "overdue": 6,
  "succeeded": 40,
  "failed": 5,
  "terminal": 2,
  "panicked": 1,
  "lastPanic": "2026-11-22T06:10:00Z",
  "lastError": {
    "message": "warehouse is full"
  },
  "lastErrorKey": "shop/second",
  "lastErrorTime": "2026-11-22T06:30:00Z",
  "terminalErrors": [
    {
      "key": "shop/third",
      "error": {
        "message": "customer is unknown"
      },
      "time": "2026-11-22T06:20:00Z"
    }
  ]
}`},
		{"zero value", Status{}, `{
  "name": "",
  "synced": false,
  "stopped": false,
  "fence": "0s",
  "waiting": 0,
  "oldest": "0s",
  "waitingLive": 0,
  "oldestLive": "0s",
  "delayed": 0,
  "awaitingWrites": 0,
  "overdue": 0,
  "succeeded": 0,
  "failed": 0,
  "terminal": 0,
  "panicked": 0
}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.MarshalIndent(test.status, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			var read Status
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			sameText := cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
			if diff := cmp.Diff(test.status, read, sameText); diff != "" {
				t.Errorf("unmarshalled (-want +got):\n%s", diff)
			}
		})
	}
}

// No field is left out of the JSON, also of those that come later: fullStatus has them all.
func TestStatusJSONHasEveryField(t *testing.T) {
	text, err := json.Marshal(fullStatus())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(fullStatus())
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() {
			t.Errorf("%s: fullStatus has no value", name)
		}
		key := strings.ToLower(name[:1]) + name[1:]
		if _, ok := fields[key]; !ok {
			t.Errorf("%s: not in the JSON", name)
		}
		delete(fields, key)
	}
	if len(fields) > 0 {
		t.Errorf("more than its fields: %v", fields)
	}
}

func TestStatusJSONThatIsWrong(t *testing.T) {
	var s Status
	err := json.Unmarshal([]byte(`{"lastErrorKey":"first"}`), &s)
	if err == nil || !strings.Contains(err.Error(), `key "first": has no slash; expected namespace/name`) {
		t.Errorf("error %v", err)
	}
}
