package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"k8s.io/client-go/rest"
)

// process is a replica as the parent sees it.
type process struct {
	name    string
	actions string
	command *exec.Cmd
	stderr  bytes.Buffer
	ended   chan struct{} // closed when it has

	mu    sync.Mutex
	last  report
	state string // of the process: "" while it runs
	err   error
}

// startProcess starts a replica, which is this program.
func startProcess(dir, name string, config *rest.Config, o options) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, actions: filepath.Join(dir, name), ended: make(chan struct{})}
	text, err := json.Marshal(replicaOptions{
		Name: name, Actions: p.actions, Lease: o.lease,
		Host: config.Host, Token: config.BearerToken, ServerName: config.ServerName, CAData: config.CAData,
	})
	if err != nil {
		return nil, err
	}
	p.command = exec.Command(program)
	p.command.Env = append(os.Environ(), replicaVariable+"="+string(text))
	p.command.Stderr = &p.stderr
	if _, err := p.command.StdinPipe(); err != nil { // which ends when this process does
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		reports := json.NewDecoder(stdout)
		for {
			var r report
			if err := reports.Decode(&r); err != nil {
				break
			}
			p.mu.Lock()
			p.last = r
			p.mu.Unlock()
		}
		err := p.command.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil && p.state != killed {
			p.err = fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(p.stderr.Bytes()))
		}
	}()
	return p, nil
}

// What a process is that does not run.
const (
	killed  = "killed"
	stopped = "stopped"
	left    = "left"
	// partitioned is one whose network is cut.
	partitioned = "partitioned"
)

// report returns what the replica has said last, and the state of its process.
func (p *process) report() (r report, state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.state
}

// signal sends a signal to the process, which is in that state then.
func (p *process) signal(signal syscall.Signal, state string) error {
	p.mu.Lock()
	p.state = state
	p.mu.Unlock()
	return p.command.Process.Signal(signal)
}

// wait waits until the process has ended.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.ended:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.err
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", p.name, context.Cause(ctx))
	}
}

// end kills the process if it is still there.
func (p *process) end() {
	_ = p.signal(syscall.SIGKILL, killed)
	<-p.ended
}
