package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// setClock sets the clock back and forth while the program works: the one that the program and
// its stages read. The times that the kernel gives to files stay true, as those of a file server do.
func setClock(ctx context.Context, a *attack) error {
	if err := a.exportArchive(ctx); err != nil {
		return err
	}

	actions := a.actions()
	for a.done < a.trials && ctx.Err() == nil {
		do := actions[a.random.IntN(len(actions))]
		if do.prepare != nil {
			if err := do.prepare(); err != nil {
				return err
			}
		}

		p := plan{Clock: 1 + a.random.Uint64N(1<<32)}
		t, r, err := a.trace(ctx, p, do.args...)
		after := fmt.Sprintf("%s: %d jumps of the clock, from seed %d", do.name, t.Jumps, p.Clock)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && a.cannotTrace(r):
			return nil
		case err != nil:
			return err
		case !r.hung && t.Jumps == 0:
			return fmt.Errorf("%s: the program did not read the clock that is set", do.name)
		}

		a.done++
		switch {
		case r.hung:
			a.hangs++
			a.note("%s: it hangs", after)
		case t.Exit != 0:
			a.wrong++
			a.note("%s: it ends with %d: %s", after, t.Exit, r.output)
		case do.args[0] == "run":
			if d := a.differs(); d != "" {
				a.wrong++
				a.note("%s: %s", after, d)
			}
		}

		if err := a.recovers(ctx, after); err != nil {
			return err
		}
	}

	return ctx.Err()
}

// wrongClock is a clock that jumps, up to a second, a day or two years at a time.
type wrongClock struct {
	random *rand.Rand
	reads  int
	off    time.Duration
}

// read returns a time that is wrong, and whether the clock has just jumped.
func (c *wrongClock) read() (t time.Time, jumped bool) {
	jumped = c.reads == 0 || c.random.IntN(8) == 0
	c.reads++
	if jumped {
		far := []time.Duration{time.Second, 24 * time.Hour, 2 * 365 * 24 * time.Hour}[c.random.IntN(3)]
		c.off = time.Duration(c.random.Int64N(int64(2*far))) - far
	}
	return time.Now().Add(c.off), jumped
}

// answer lets a system call that reads the clock return a wrong time. The thread has stopped before
// the call, which the kernel then skips.
func (t *tracer) answer(pid int, regs *unix.PtraceRegs, result *traced) {
	at, jumped := t.clock.read()
	var spec [16]byte // a timespec
	binary.LittleEndian.PutUint64(spec[:], uint64(at.Unix()))
	binary.LittleEndian.PutUint64(spec[8:], uint64(at.Nanosecond()))
	if _, err := unix.PtracePokeData(pid, uintptr(secondArgument(regs)), spec[:]); err != nil {
		return // the program has given a bad address, and the kernel will say so
	}

	if jumped {
		result.Jumps++
	}

	succeed(regs)
	_ = unix.PtraceSetRegs(pid, regs)
}

// The keys of the auxiliary vector, from the kernel's auxvec.h.
const (
	auxNull, auxIgnore, auxVDSO = 0, 1, 33
)

// hideVDSO makes a program that has just been executed read the clock by system calls, which stop for
// the tracer. The kernel has put its arguments, its environment and the auxiliary vector on the stack.
func hideVDSO(pid int) error {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &regs); err != nil {
		return err
	}

	at := uintptr(stackPointer(&regs))
	next := func() (word uint64, err error) {
		var b [8]byte
		_, err = unix.PtracePeekData(pid, at, b[:])
		at += 8
		return binary.LittleEndian.Uint64(b[:]), err
	}
	arguments, err := next()
	at += uintptr(arguments+1) * 8 // with the null after them
	for err == nil {
		var variable uint64
		if variable, err = next(); variable == 0 {
			break
		}
	}

	for err == nil {
		var key uint64
		if key, err = next(); err != nil || key == auxNull {
			break
		}

		if key == auxVDSO {
			ignore := binary.LittleEndian.AppendUint64(nil, auxIgnore)
			_, err = unix.PtracePokeData(pid, at-8, ignore)
			break
		}

		at += 8
	}

	return err
}

// moveFileTimes gives all files of the cache times of the past or the future, as a clock does
// that was set wrong while they were written.
func moveFileTimes(ctx context.Context, a *attack) error {
	for ; a.done < a.trials && ctx.Err() == nil; a.done++ {
		by := time.Duration(a.random.Int64N(int64(4*365*24*time.Hour))) - 2*365*24*time.Hour
		files, err := copyOf(a.dir)
		if err != nil {
			return err
		}

		for path := range files {
			st, err := os.Stat(path)
			if err != nil {
				continue
			}

			at := st.ModTime().Add(by)
			if a.random.IntN(2) == 0 {
				at = at.Add(-by) // some files are of before the clock was set
			}

			if err := os.Chtimes(path, at, at); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}

		if a.random.IntN(3) == 0 {
			if r := a.run(ctx, "cache", "gc"); r.err != nil {
				a.wrong++
				a.note("cache gc fails after a jump by %s: %s", by, r.output)
			}
		}

		if err := a.recovers(ctx, fmt.Sprintf("a jump by %s", by)); err != nil {
			return err
		}
	}

	return ctx.Err()
}
