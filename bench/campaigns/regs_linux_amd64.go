package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func numberOf(r *unix.PtraceRegs) uint64      { return r.Orig_rax }
func firstArgument(r *unix.PtraceRegs) uint64 { return r.Rdi }
func thirdArgument(r *unix.PtraceRegs) uint64 { return r.Rdx }

// fail skips the system call and makes it return an error.
func fail(r *unix.PtraceRegs, err syscall.Errno) {
	r.Orig_rax = ^uint64(0)
	r.Rax = uint64(-int64(err))
}
