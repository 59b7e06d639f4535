//go:build !linux

package main

import "syscall"

func childAttributes() *syscall.SysProcAttr { return nil }
