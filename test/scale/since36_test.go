//go:build !before36

package main

import "testing"

// A process for a shard has its objects and no others, and sees the last change, whether or not
// the server filters.
func TestTrial(t *testing.T) {
	for _, encoding := range []string{inJSON, inProtobuf} {
		for _, filters := range []bool{true, false} {
			p := population{configMaps, 2000, encoding}
			u, err := trial{Population: p, Shards: 4, Filters: filters}.run()
			if err != nil {
				t.Fatal(err)
			}
			if u.Objects < 400 || u.Objects > 600 || u.Heap <= 0 || u.List <= 0 || u.Event <= 0 {
				t.Errorf("%s, filters %v: %+v", encoding, filters, u)
			}
		}
	}
}
