package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child process whose output goes to a file.
type process struct {
	name  string
	log   string
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
}

// startProcess starts a program, which ends with this one at the latest. Its
// output is appended to dir/name.log.
func startProcess(dir, name, binary string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(binary, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	p.cmd.SysProcAttr = childAttributes()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		defer close(p.ended)
		p.cmd.Wait()
	}()
	return p, nil
}

// stop asks the process to end, kills it if it does not within a few seconds,
// and waits for its end.
func (p *process) stop() {
	if p == nil {
		return
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(8 * time.Second):
		p.kill()
	}
}

// kill ends the process at once, without a chance to close connections.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// waitReady calls ready until it returns no error, the process ends or the
// time is up.
func (p *process) waitReady(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s: has ended: %v; see %s", p.name, p.cmd.ProcessState, p.log)
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s: %w; see %s", p.name, ctx.Err(), p.log), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// clockTick is the unit of times in /proc: USER_HZ, which is 100 on every
// platform that Go runs on.
const clockTick = time.Second / 100

// cpu returns the CPU time that the process has used so far.
func (p *process) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(data))
}

// parseStat returns user and system time of a /proc/<pid>/stat.
func parseStat(stat string) (time.Duration, error) {
	// The second field is the name, in parentheses, with whatever is in it.
	_, rest, ok := strings.Cut(stat[max(0, strings.LastIndexByte(stat, ')')):], " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 13 {
		return 0, fmt.Errorf("stat: got %q", stat)
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick, errors.Join(err1, err2)
}

// memory returns the resident memory of the process now, and the most that it
// has had, in bytes.
func (p *process) memory() (now, peak int64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	return parseStatus(string(data))
}

// parseStatus returns VmRSS and VmHWM of a /proc/<pid>/status in bytes.
func parseStatus(status string) (now, peak int64, err error) {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		to := map[string]*int64{"VmRSS": &now, "VmHWM": &peak}[name]
		if to == nil {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("status: %s: %w", name, err)
		}
		*to = kilobytes << 10
	}
	if now == 0 || peak == 0 {
		return 0, 0, errors.New("status: has no VmRSS or VmHWM")
	}
	return now, peak, nil
}

// lines counts those that a process has logged.
type lines struct {
	all, informers int
}

// logLines returns how many lines the process has written so far.
func (p *process) logLines() (lines, error) {
	data, err := os.ReadFile(p.log)
	return countLines(string(data)), err
}

// informerFiles are the files of client-go and of this runtime that log what
// becomes of lists and watches.
var informerFiles = []string{" reflector.go:", " report.go:", " outage.go:"}

// countLines tells lines of informers by the file in klog's header.
func countLines(text string) (count lines) {
	for line := range strings.Lines(text) {
		count.all++
		header, _, _ := strings.Cut(line, "]")
		if slices.ContainsFunc(informerFiles, func(file string) bool { return strings.Contains(header, file) }) {
			count.informers++
		}
	}
	return count
}

// loadAverage returns the machine's load average over the last minute, as the kernel writes it.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
