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

// cost is what processes take that run one after another.
type cost struct {
	wall time.Duration
	// peak is the resident memory, in bytes, of the largest of them, or of the
	// largest that it ran itself.
	peak int64
}

func (c cost) String() string {
	return fmt.Sprintf("%.3g s, %.0f MB", c.wall.Seconds(), float64(c.peak)/1e6)
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

// median is the median of the times and that of the peaks.
func median(costs []cost) cost {
	walls, peaks := make([]time.Duration, len(costs)), make([]int64, len(costs))
	for i, c := range costs {
		walls[i], peaks[i] = c.wall, c.peak
	}
	slices.Sort(walls)
	slices.Sort(peaks)
	return cost{wall: walls[len(walls)/2], peak: peaks[len(peaks)/2]}
}
