package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/informer-gen/informer-gen/test/servers/crdserver"
)

// Program is the environment variable that names a program of test/servers. If it is
// set, Start runs that program, which is an API server of another version, in place of
// a server in this process.
const Program = "APISERVER"

// process is a server in a process of its own.
type process struct {
	command *exec.Cmd
	// stdin is the pipe to the process. The process serves until it is closed.
	stdin   io.Closer
	stderr  bytes.Buffer
	address crdserver.Address
}

// startProcess returns when the process listens.
func startProcess(program string, options crdserver.Options) (*process, error) {
	p := &process{command: exec.Command(program, "-etcd", options.EtcdURL, fmt.Sprintf("-disable-watch-cache=%t", options.DisableWatchCache))}
	p.command.Stderr = &p.stderr
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(stdout).Decode(&p.address); err != nil {
		p.stdin.Close()
		return nil, errors.Join(fmt.Errorf("%s: no address: %w", program, err), p.wait())
	}
	return p, nil
}

func (p *process) Address() crdserver.Address { return p.address }

// Run ends the process when ctx ends, and returns when the process has ended.
func (p *process) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { p.stdin.Close() })()
	return p.wait()
}

func (p *process) wait() error {
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("%s: %w: %s", p.command.Path, err, bytes.TrimSpace(p.stderr.Bytes()))
	}
	return nil
}
