package main

import (
	"cmp"
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

// cost is the cost of processes that run one after another.
type cost struct {
	wall time.Duration
	// cpu is the time that cores worked on it, which other work on the machine
	// changes less.
	cpu time.Duration
	// peak is the resident memory, in bytes, of the largest of them, or of the
	// largest that it ran itself.
	peak int64
}

func (c cost) String() string {
	return fmt.Sprintf("%.2g s, CPU %.2g s, %.0f MB", c.wall.Seconds(), c.cpu.Seconds(), float64(c.peak)/1e6)
}

// run runs commands in a module, all with an empty build cache if cold is set.
func run(ctx context.Context, dir string, commands [][]string, cold bool) (sum cost, err error) {
	environ := scratch.Environ(dir)
	if cold {
		cache, err := os.MkdirTemp("", "gocache-")
		if err != nil {
			return sum, err
		}
		defer os.RemoveAll(cache)
		environ = append(environ, "GOCACHE="+cache)
	}
	for _, command := range commands {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, environ
		started := time.Now()
		output, err := cmd.CombinedOutput()
		sum.wall += time.Since(started)
		sum.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if err != nil {
			return sum, fmt.Errorf("%v: %w\n%s", command, err, output)
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			return sum, fmt.Errorf("%s: resource usage not known on %s", command[0], runtime.GOOS)
		}
		sum.peak = max(sum.peak, bytes(usage.Maxrss))
	}
	return sum, nil
}

// bytes converts the peak of a process, which Linux counts in kilobytes.
func bytes(maxrss int64) int64 {
	if runtime.GOOS == "linux" {
		return maxrss * 1024
	}
	return maxrss
}

// median returns the median of each part, and nothing of no costs.
func median(costs []cost) cost {
	if len(costs) == 0 {
		return cost{}
	}
	return cost{
		wall: middle(costs, func(c cost) time.Duration { return c.wall }),
		cpu:  middle(costs, func(c cost) time.Duration { return c.cpu }),
		peak: middle(costs, func(c cost) int64 { return c.peak }),
	}
}

func middle[V cmp.Ordered](costs []cost, part func(cost) V) V {
	var values []V
	for _, c := range costs {
		values = append(values, part(c))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
