package failure

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Counts has a number for each class. The zero value is empty, and assignment copies it. In JSON it is an
// object with the classes whose number is not zero: {"forbidden":2}.
type Counts [len(classNames)]uint64

// Add counts an error of a class. An invalid Class counts as ClassOther.
func (c *Counts) Add(class Class) {
	if int(class) >= len(c) {
		class = ClassOther
	}
	c[class]++
}

// All iterates over all classes and their numbers, zeros included, in the order of the classes.
func (c Counts) All() iter.Seq2[Class, uint64] {
	return func(yield func(Class, uint64) bool) {
		for class, n := range c {
			if !yield(Class(class), n) {
				return
			}
		}
	}
}

// Total returns the sum of all classes.
func (c Counts) Total() uint64 {
	total := uint64(0)
	for _, n := range c {
		total += n
	}
	return total
}

// Plus returns the sum of two Counts.
func (c Counts) Plus(other Counts) Counts {
	for class, n := range other {
		c[class] += n
	}
	return c
}

// MarshalJSON writes the classes that are not zero.
func (c Counts) MarshalJSON() ([]byte, error) {
	named := map[string]uint64{}
	for class, n := range c.All() {
		if n > 0 {
			named[class.String()] = n
		}
	}
	return json.Marshal(named)
}

// UnmarshalJSON reads what MarshalJSON writes. It fails for an unknown class.
func (c *Counts) UnmarshalJSON(data []byte) error {
	var named map[string]uint64
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	var read Counts
	for name, n := range named {
		class := slices.Index(classNames[:], name)
		if class < 0 {
			return fmt.Errorf("class %q: unknown; expected one of %q", name, classNames)
		}
		read[class] = n
	}
	*c = read
	return nil
}

// Outcomes counts how requests of one kind ended.
type Outcomes struct {
	// Succeeded counts the requests that ended without an error, or since the source selects other objects.
	// Failed counts all others by the class of their error.
	Succeeded uint64 `json:"succeeded"`
	Failed    Counts `json:"failed"`
}

// Add counts a request that ended with err; nil is a success.
func (o *Outcomes) Add(err error) {
	if class := ClassOf(err); err == nil || class == ClassSelectionChanged {
		o.Succeeded++
	} else {
		o.Failed.Add(class)
	}
}

// Plus returns the sum of two Outcomes.
func (o Outcomes) Plus(other Outcomes) Outcomes {
	return Outcomes{Succeeded: o.Succeeded + other.Succeeded, Failed: o.Failed.Plus(other.Failed)}
}
