package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// action is a step of work on an order, as a line of a file. It has the time by the monotonic clock in
// nanoseconds, the number of the work in its replica, the name of the step, and the UID of the order.
type action struct {
	at      int64
	replica string
	work    int64
	what    string // begin, step, end or lost
	order   string
}

// recorder writes the actions of a replica to a file, each with one system call, so that
// nothing is lost when the process is killed.
type recorder struct {
	file *os.File
	last atomic.Int64 // number of a work
}

func newRecorder(path string) (*recorder, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &recorder{file: file}, err
}

// now is the time by the clock that all processes of the machine share.
func now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // which every Linux has
	return t.Nano()
}

func (r *recorder) record(at, work int64, what, order string) error {
	_, err := fmt.Fprintf(r.file, "%d %d %s %s\n", at, work, what, order)
	return err
}

// readActions reads the file of a replica. The last line may be cut.
func readActions(path, replica string) ([]action, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var actions []action
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 {
			continue
		}
		at, err := strconv.ParseInt(fields[0], 10, 64)
		work, err2 := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("%s: line %q is no action", path, lines.Text())
		}
		actions = append(actions, action{at, replica, work, fields[2], fields[3]})
	}
	return actions, lines.Err()
}

// work is some work on an order, from its first step to the last that was done as its owner.
type work struct {
	replica, order string
	first, last    int64
}

// works returns what was done to each order, by the time at which it began. What a replica
// noticed to have lost does not count: it has done nothing since.
func works(actions []action) map[string][]work {
	type key struct {
		replica string
		number  int64
	}
	all := map[key]*work{}
	for _, a := range actions {
		w := all[key{a.replica, a.work}]
		if w == nil {
			w = &work{a.replica, a.order, a.at, a.at}
			all[key{a.replica, a.work}] = w
		}
		w.first = min(w.first, a.at)
		if a.what != "lost" {
			w.last = max(w.last, a.at)
		}
	}
	byOrder := map[string][]work{}
	for _, w := range all {
		byOrder[w.order] = append(byOrder[w.order], *w)
	}
	for _, list := range byOrder {
		slices.SortFunc(list, func(a, b work) int { return cmp.Compare(a.first, b.first) })
	}
	return byOrder
}

// overlaps returns the works on one order that two replicas did at a time.
func overlaps(actions []action) [][2]work {
	var found [][2]work
	for _, list := range works(actions) {
		for i := range list {
			for j := i + 1; j < len(list) && list[j].first <= list[i].last; j++ {
				if list[i].replica != list[j].replica {
					found = append(found, [2]work{list[i], list[j]})
				}
			}
		}
	}
	return found
}
