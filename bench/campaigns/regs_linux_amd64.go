package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func numberOf(r *unix.PtraceRegs) uint64       { return r.Orig_rax }
func firstArgument(r *unix.PtraceRegs) uint64  { return r.Rdi }
func secondArgument(r *unix.PtraceRegs) uint64 { return r.Rsi }
func thirdArgument(r *unix.PtraceRegs) uint64  { return r.Rdx }

func stackPointer(r *unix.PtraceRegs) uint64 { return r.Rsp }

// succeed skips the system call and makes it return 0.
func succeed(r *unix.PtraceRegs) { r.Orig_rax, r.Rax = ^uint64(0), 0 }

// fail skips the system call and makes it return an error.
func fail(r *unix.PtraceRegs, err syscall.Errno) {
	r.Orig_rax = ^uint64(0)
	r.Rax = uint64(-int64(err))
}
