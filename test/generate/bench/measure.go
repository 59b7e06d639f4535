package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// cost is what a run of one or several processes takes.
type cost struct {
	wall time.Duration
	// peak is the resident memory, in bytes, of the largest process: the tool,
	// or the go command if that is larger.
	peak int64
}

// run runs a command in a module, with a build cache unless that is empty, and
// returns its cost from the start to the end of the process.
func run(ctx context.Context, dir, goCache string, command []string) (cost, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, scratch.Environ(dir)
	if goCache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+goCache)
	}
	started := time.Now()
	output, err := cmd.CombinedOutput()
	wall := time.Since(started)
	if err != nil {
		return cost{}, fmt.Errorf("%v: %w\n%s", command, err, output)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, fmt.Errorf("%s: no resource usage on %s", command[0], runtime.GOOS)
	}
	peak := usage.Maxrss
	if runtime.GOOS == "linux" {
		peak *= 1024 // elsewhere it is bytes
	}
	return cost{wall: wall, peak: peak}, nil
}

// runAll runs commands one after another: their times add up.
func runAll(ctx context.Context, dir string, commands [][]string, cold bool) (sum cost, err error) {
	cache := ""
	if cold {
		if cache, err = os.MkdirTemp("", "gocache-"); err != nil {
			return sum, err
		}
		defer os.RemoveAll(cache)
	}
	for _, command := range commands {
		c, err := run(ctx, dir, cache, command)
		if err != nil {
			return sum, err
		}
		sum.wall, sum.peak = sum.wall+c.wall, max(sum.peak, c.peak)
	}
	return sum, nil
}

// median is the median of times and that of peaks.
func median(costs []cost) cost {
	if len(costs) == 0 {
		return cost{}
	}
	var walls []time.Duration
	var peaks []int64
	for _, c := range costs {
		walls, peaks = append(walls, c.wall), append(peaks, c.peak)
	}
	slices.Sort(walls)
	slices.Sort(peaks)
	return cost{wall: walls[len(walls)/2], peak: peaks[len(peaks)/2]}
}
