package cache_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// fullStatus has a value in every field.
func fullStatus() cache.Status {
	begin := time.Date(2026, 11, 22, 6, 30, 0, 0, time.UTC)
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "shop.example.com", Resource: "orders"}, "", errors.New("no role"))
	return cache.Status{
		Name:            "orders.v1.shop.example.com",
		Phase:           cache.PhaseBackingOff,
		Since:           begin.Add(5 * time.Minute),
		Started:         begin,
		NextAttempt:     begin.Add(5*time.Minute + 1500*time.Millisecond),
		Synced:          true,
		Attempts:        3,
		FailingSince:    begin.Add(4 * time.Minute),
		LastError:       fmt.Errorf("list: %w", forbidden),
		Received:        1,
		Expected:        3,
		Objects:         2,
		ResourceVersion: "17",
		LastEvent:       begin.Add(time.Minute),
		LastBookmark:    begin.Add(2 * time.Minute),
		LastContact:     begin.Add(3 * time.Minute),
		Reconnects:      1,
		ReconnectReason: fmt.Errorf("watch: %w: 4m0s", failure.ErrWatchIdle),
		Relists:         1,
		RelistReason:    fmt.Errorf("watch: %w", failure.ErrHistoryRestarted),
		RelistReasons:   failure.Counts{failure.ClassExpired: 1},
		Lists:           failure.Outcomes{Succeeded: 2, Failed: failure.Counts{failure.ClassForbidden: 3}},
		WatchLists:      failure.Outcomes{Failed: failure.Counts{failure.ClassForbidden: 1}},
		Watches:         failure.Outcomes{Succeeded: 1, Failed: failure.Counts{failure.ClassSilent: 1}},
		Events:          1,
		Bookmarks:       1,
		LeftOut:         1,
		LeftOutObjects:  map[string]string{"shop/first": "customer is missing"},
		ObjectErrors:    1,
		LastObjectError: &failure.ObjectError{Object: "shop/first", Err: errors.New("customer is missing")},
		Names:           &cache.NamesStatus{Followed: 5, Known: 4, Absent: 1, ByMetadata: 2, Failing: 1, Reasons: map[string]string{"shop/first": "forbidden"}},
		DecodedByClient: "a filter",
		Namespaces:      []cache.Status{{Name: "shop", Phase: cache.PhaseWatching, Synced: true, Objects: 2, ResourceVersion: "17"}},
		Handlers: []cache.HandlerStatus{{
			Name:        "invoices",
			Backlog:     500,
			Lag:         40 * time.Second,
			Delivered:   2,
			LongestCall: 1500 * time.Millisecond,
			Panics:      1,
			LastPanic:   begin.Add(4 * time.Minute),
		}},
	}
}

const fullStatusJSON = `{
  "name": "orders.v1.shop.example.com",
  "phase": "backing off",
  "since": "2026-11-22T06:35:00Z",
  "started": "2026-11-22T06:30:00Z",
  "nextAttempt": "2026-11-22T06:35:01.5Z",
  "synced": true,
  "attempts": 3,
  "failingSince": "2026-11-22T06:34:00Z",
  "lastError": {
    "message": "list: orders.shop.example.com is forbidden: no role",
    "class": "forbidden"
  },
  "received": 1,
  "expected": 3,
  "objects": 2,
  "resourceVersion": "17",
  "lastEvent": "2026-11-22T06:31:00Z",
  "lastBookmark": "2026-11-22T06:32:00Z",
  "lastContact": "2026-11-22T06:33:00Z",
  "reconnects": 1,
  "reconnectReason": {
    "message": "watch: no event or bookmark in time: 4m0s",
    "class": "silent"
  },
  "relists": 1,
  "relistReason": {
    "message": "watch: history of the server has restarted",
    "class": "expired"
  },
  "relistReasons": {
    "expired": 1
  },
  "lists": {
    "succeeded": 2,
    "failed": {
      "forbidden": 3
    }
  },
  "watchLists": {
    "succeeded": 0,
    "failed": {
      "forbidden": 1
    }
  },
  "watches": {
    "succeeded": 1,
    "failed": {
      "silent": 1
    }
  },
  "events": 1,
  "bookmarks": 1,
  "leftOut": 1,
  "leftOutObjects": {
    "shop/first": "customer is missing"
  },
  "objectErrors": 1,
  "lastObjectError": {
    "message": "object \"shop/first\": customer is missing"
  },
  "namespaces": [
    {
      "name": "shop",
      "phase": "watching",
      "synced": true,
      "attempts": 0,
      "objects": 2,
      "resourceVersion": "17",
      "reconnects": 0,
      "relists": 0,
      "events": 0,
      "bookmarks": 0,
      "leftOut": 0,
      "objectErrors": 0
    }
  ],
  "names": {
    "followed": 5,
    "known": 4,
    "absent": 1,
    "byMetadata": 2,
    "failing": 1,
    "reasons": {
      "shop/first": "forbidden"
    }
  },
  "decodedByClient": "a filter",
  "handlers": [
    {
      "name": "invoices",
      "backlog": 500,
      "delivered": 2,
      "panics": 1,
      "lastPanic": "2026-11-22T06:34:00Z",
      "lag": "40s",
      "longestCall": "1.5s"
    }
  ]
}`

func TestStatusJSON(t *testing.T) {
	for _, test := range []struct {
		name   string
		status cache.Status
		want   string
	}{
		{"every field", fullStatus(), fullStatusJSON},
		{"zero value", cache.Status{}, `{
  "name": "",
  "phase": "not started",
  "synced": false,
  "attempts": 0,
  "objects": 0,
  "resourceVersion": "",
  "reconnects": 0,
  "relists": 0,
  "events": 0,
  "bookmarks": 0,
  "leftOut": 0,
  "objectErrors": 0
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
			var read cache.Status
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			sameText := cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
			if diff := cmp.Diff(test.status, read, sameText); diff != "" {
				t.Errorf("unmarshalled (-want +got):\n%s", diff)
			}
			again, err := json.MarshalIndent(read, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(text), string(again)); diff != "" {
				t.Errorf("marshalled again (-first +second):\n%s", diff)
			}
		})
	}
}

// No field is left out of the JSON, also of those that come later: fullStatus has them
// all, and each has a name in lowerCamelCase.
func TestStatusJSONHasEveryField(t *testing.T) {
	check := func(status any) {
		t.Helper()
		text, err := json.Marshal(status)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(status)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s: fullStatus has no value", v.Type(), name)
			}
			key := strings.ToLower(name[:1]) + name[1:]
			if value, ok := fields[key]; !ok || reflect.DeepEqual(value, map[string]any{}) {
				t.Errorf("%s.%s: %q is %v in the JSON", v.Type(), name, key, value)
			}
			delete(fields, key)
		}
		if len(fields) > 0 {
			t.Errorf("%s: more than its fields: %v", v.Type(), fields)
		}
	}
	status := fullStatus()
	check(status)
	check(status.Handlers[0])
}

func TestPhaseText(t *testing.T) {
	for phase := cache.PhasePending; phase <= cache.PhaseStopped; phase++ {
		text, err := phase.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var read cache.Phase
		if err := read.UnmarshalText(text); err != nil || read != phase || string(text) != phase.String() {
			t.Errorf("%q is read as %v, %v", text, read, err)
		}
	}
	var phase cache.Phase
	if err := phase.UnmarshalText([]byte("asleep")); err == nil || !strings.Contains(err.Error(), `phase "asleep": unknown`) {
		t.Errorf("got %v", err)
	}
	if got := cache.Phase(100).String(); got != "in phase 100" {
		t.Errorf("got %q", got)
	}
}
