package reads

import (
	"fmt"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in the data that a filter sees. The machines for which there are filters are little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16 // of 8 bytes each
)

// filter stops a process at the calls that name files, and allows all others.
var filter = sync.OnceValue(func() []bpf.RawInstruction {
	tell := bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF}
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	load := func(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }
	when := func(cond bpf.JumpTest, v uint32, skip int) bpf.Instruction {
		return bpf.JumpIf{Cond: cond, Val: v, SkipFalse: uint8(skip)}
	}
	older := []bpf.Instruction{load(offsetNumber)}
	for _, number := range olderCalls {
		older = append(older, when(bpf.JumpEqual, number, 1), tell)
	}

	older = append(older, allow)
	program := []bpf.Instruction{load(offsetArch), when(bpf.JumpNotEqual, architecture, len(older))}
	program = append(program, older...)
	program = append(program, load(offsetNumber))
	if otherTable > 0 {
		program = append(program, when(bpf.JumpGreaterOrEqual, otherTable, 1), tell)
	}

	for _, c := range calls {
		if c.kind == catches {
			program = append(program, whenCaught(c)...)
			continue
		}

		if c.flags == none {
			program = append(program, when(bpf.JumpEqual, c.number, 1), tell)
			continue
		}

		program = append(program, when(bpf.JumpEqual, c.number, 4), load(offsetArgs+8*uint32(c.flags)),
			when(bpf.JumpBitsSet, unix.AT_EMPTY_PATH, 1), allow, tell)
	}

	// A ring opens files without these calls.
	program = append(program, when(bpf.JumpEqual, unix.SYS_IO_URING_SETUP, 1),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}, allow)
	raw, err := bpf.Assemble(program)
	if err != nil {
		panic(fmt.Sprintf("the filter of recordings does not assemble: %v", err)) // it is constant
	}

	return raw
})

// whenCaught tells of a call that sets what one of the interrupting signals does. Programs mostly ask what signals do.
func whenCaught(c call) []bpf.Instruction {
	var signals []bpf.Instruction
	for _, signal := range interrupting {
		signals = append(signals, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(signal), SkipFalse: 1},
			bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF})
	}

	signals = append(signals, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	body := []bpf.Instruction{
		// The address of the action is 0 in a question.
		bpf.LoadAbsolute{Off: offsetArgs + 8*uint32(c.path), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 3},
		bpf.LoadAbsolute{Off: offsetArgs + 8*uint32(c.path) + 4, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		bpf.LoadAbsolute{Off: offsetArgs, Size: 4},
	}
	body = append(body, signals...)
	other := bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.number, SkipFalse: uint8(len(body))}
	return append([]bpf.Instruction{other}, body...)
}
