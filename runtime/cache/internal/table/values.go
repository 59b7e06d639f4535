package table

// indexValues holds the values of objects in each of the indexes, in order: user code
// computes them before the store is locked. The zero value is empty.
type indexValues struct {
	values []string
	// ends are where the values of each object and index end. The next one to take is
	// that at number taken, and its values begin at from.
	ends        []int
	taken, from int
}

// longScratch is how much memory is kept for the next use.
const longScratch = 1024

// fewValues is how many values are not worth the time to clear them: the next ones take
// their place.
const fewValues = 8

// add adds the values of the next object and index: what all has more than values.
func (v *indexValues) add(all []string) {
	v.values = all
	v.ends = append(v.ends, len(all))
}

// mark returns how much there is, for forgetSince.
func (v *indexValues) mark() (mark [2]int) { return [2]int{len(v.values), len(v.ends)} }

// forgetSince forgets what was added since the mark was made.
func (v *indexValues) forgetSince(mark [2]int) {
	v.values, v.ends = v.values[:mark[0]], v.ends[:mark[1]]
}

// take returns the values of the next object and index that were not taken yet.
func (v *indexValues) take() []string {
	from, to := v.from, v.ends[v.taken]
	v.from = to
	v.taken++
	return v.values[from:to]
}

// reset forgets all values.
func (v *indexValues) reset() {
	if len(v.values) > fewValues {
		clear(v.values)
	}
	v.values, v.ends = v.values[:0], v.ends[:0]
	v.taken, v.from = 0, 0
	if cap(v.values) > longScratch || cap(v.ends) > longScratch {
		*v = indexValues{}
	}
}
