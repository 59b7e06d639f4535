package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// benchmark is the part that all measurements have in common.
type benchmark struct {
	// dir holds the tools, in theirs and ours, and the projects.
	dir, checkout string
	rounds        int
}

// measurement is a row of the table.
type measurement struct {
	// name is the project's, or says which of its runs this is.
	name, project string
	goal          goal
	// cold is with an empty build cache, again over what the last run wrote.
	cold, again bool

	theirs, ours []cost
	// written is the number of files that ours wrote without need.
	written int
}

// project measures one.
func (b *benchmark) project(ctx context.Context, p project) ([]measurement, error) {
	dir, err := os.MkdirTemp(b.dir, "project-")
	if err != nil {
		return nil, err
	}
	if err := p.module(dir, b.checkout); err != nil {
		return nil, err
	}
	measurements := []measurement{{name: p.name, goal: p.goal}}
	if !p.firstOnly {
		measurements = append(measurements, measurement{name: "  cold build cache", cold: true}, measurement{name: "  second run", again: true})
	}
	for i := range measurements {
		m := &measurements[i]
		m.project = p.name
		fmt.Fprintln(os.Stderr, "measuring", p.name+strings.TrimPrefix(m.name, p.name))
		if err := m.measure(ctx, b, p, dir); err != nil {
			return nil, err
		}
	}
	return measurements, nil
}

// measure runs both, in turns.
func (m *measurement) measure(ctx context.Context, b *benchmark, p project, dir string) error {
	for range b.rounds {
		if p.theirs {
			c, _, err := m.once(ctx, b, dir, "theirs", p.commands(filepath.Join(b.dir, "theirs"), "theirs", "lister-gen", "informer-gen"))
			if err != nil {
				return err
			}
			m.theirs = append(m.theirs, c)
		}
		c, written, err := m.once(ctx, b, dir, "ours", p.commands(filepath.Join(b.dir, "ours"), "ours", "informer-gen"))
		if err != nil {
			return err
		}
		m.ours = append(m.ours, c)
		if m.again {
			m.written += written
		}
	}
	return nil
}

// once runs commands that write below out, and returns their cost and how many
// files are new or rewritten.
func (m *measurement) once(ctx context.Context, b *benchmark, dir, out string, commands [][]string) (cost, int, error) {
	out = filepath.Join(dir, out)
	if !m.again {
		// Not removed: ext4 takes longer to make files for seconds after others were removed.
		if err := os.Rename(out, filepath.Join(b.dir, rand.Text())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cost{}, 0, err
		}
	}
	before, err := modified(out)
	if err != nil {
		return cost{}, 0, err
	}
	c, err := run(ctx, dir, commands, m.cold)
	if err != nil {
		return c, 0, err
	}
	after, err := modified(out)
	if err == nil && len(after) == 0 {
		err = errors.New("nothing was written")
	}
	written := 0
	for file, at := range after {
		if !at.Equal(before[file]) {
			written++
		}
	}
	return c, written, err
}

// modified are the files below a folder, if there is one, and when each was
// written.
func modified(folder string) (map[string]time.Time, error) {
	found := map[string]time.Time{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			found[path] = info.ModTime()
		}
		return err
	})
	return found, err
}

// row is the line of the table.
func (m *measurement) row() string {
	ours := median(m.ours)
	theirs, ratio := "", ""
	if len(m.theirs) > 0 {
		c := median(m.theirs)
		theirs, ratio = c.String(), fmt.Sprintf("%.0f×, CPU %.0f×", c.wall.Seconds()/ours.wall.Seconds(), c.cpu.Seconds()/ours.cpu.Seconds())
	}
	goals, verdict := m.judge()
	return strings.Join([]string{m.name, theirs, ours.String(), ratio, goals, verdict}, "\t")
}

// judge returns the goals, and whether they are met.
func (m *measurement) judge() (goals, verdict string) {
	ours := median(m.ours)
	var promises []string
	met := true
	promise := func(text string, kept bool) {
		promises, met = append(promises, text), met && kept
	}
	if m.goal.ratio > 0 {
		promise(fmt.Sprintf("≥ %.0f×", m.goal.ratio), median(m.theirs).wall.Seconds()/ours.wall.Seconds() >= m.goal.ratio)
	}
	if m.goal.peak > 0 {
		promise(fmt.Sprintf("≤ %.0f MB", float64(m.goal.peak)/1e6), ours.peak <= m.goal.peak)
	}
	if m.again {
		promise("writes nothing", m.written == 0)
	}
	if len(promises) > 0 {
		verdict = map[bool]string{true: "met", false: "not met"}[met]
	}
	return strings.Join(promises, ", "), verdict
}
