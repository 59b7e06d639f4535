package main

import "syscall"

// childAttributes puts a child into a process group of its own, where it gets
// no Ctrl-C: this program ends its children, in order. Should this program be
// killed, the kernel ends them.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
