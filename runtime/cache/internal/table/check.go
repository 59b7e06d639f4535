package table

import (
	"fmt"
	"slices"
)

// Check compares the places of all rows with the postings, both ways: it is for tests.
func (t *Table) Check() error {
	for _, p := range t.indexes {
		places := 0
		for row, obj := range t.objects.items {
			values, err := p.placesOf(uint32(row), obj)
			if err != nil {
				return fmt.Errorf("index %q: row %d: %w", p.Name, row, err)
			}
			places += values
		}
		large := 0
		for _, list := range p.byValue {
			if len(list.rows) != list.objects.Len() {
				return fmt.Errorf("index %q: %q has %d rows and %d objects", p.Name, list.value, len(list.rows), list.objects.Len())
			}
			places -= len(list.rows)
			if len(list.rows) > LongCopy {
				large++
			}
		}
		if places != 0 || len(p.first) != t.rows || large != p.large {
			return fmt.Errorf("index %q: %d places too many, %d rows of %d, %d large postings of %d", p.Name, places, len(p.first), t.rows, p.large, large)
		}
	}
	return nil
}

// placesOf returns how many values a row has, if it is where they say.
func (p *Postings) placesOf(row uint32, obj Object) (int, error) {
	var values []string
	var wrong error
	p.compare(row, nil, func(at place, value string, _ bool) {
		values = append(values, value)
		list := p.lists[at.list-1]
		if list != p.Find(value) || list.number != at.list || list.rows[at.at] != row || list.objects.items[at.at] != obj {
			wrong = fmt.Errorf("is not where it is said to be of %q", value)
		}
	})
	if !slices.IsSorted(values) {
		wrong = fmt.Errorf("has its values in the order %q", values)
	}
	return len(values), wrong
}
