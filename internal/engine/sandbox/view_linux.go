package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/keeper"
)

// separate gives the calling thread, and the processes that it starts, namespaces of
// their own, as far as the system permits it: for processes, for System V and POSIX
// messages and shared memory, and for mounts. In the last one, everything is read-only
// except what the stage may write: unlike Landlock, that also refuses to change the mode,
// owner, times and attributes of a file. There the stage also finds its own directory, which is in dir, at a path
// that is
// the same for every stage and on every machine: compilers and archives write it into their outputs.
func (s *Sandbox) separate(c *confinement, dir string) error {
	if !s.lacks[enforcedProcesses] {
		if k, err := s.keepers.Acquire(); err == nil {
			c.keeper = k
			if err := k.Enter(); err != nil {
				return err
			}
		}
	}

	c.say(c.keeper != nil, enforcedProcesses, openProcesses)
	if c.keeper != nil {
		c.grants = append(c.grants, grant{"/proc", read})
	}

	if s.lacks[enforcedIPC] && s.lacks[enforcedMetadata] || unix.Unshare(unix.CLONE_NEWNS|unix.CLONE_NEWIPC) != nil {
		c.words = append(c.words, openIPC, openMetadata)
		return nil
	}

	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("making mounts private", err)
	}

	if c.keeper != nil && c.keeper.Placed && !s.lacks[enforcedMetadata] {
		c.from, c.to = dir, keeper.Place
	}

	readOnly := !s.lacks[enforcedMetadata] && readOnlyBut(c.writable(), c.from, c.to) == nil
	if !readOnly {
		c.to = ""
	}

	c.say(!s.lacks[enforcedIPC] && !c.uses(sharedMemory) && ownSharedMemory() == nil, enforcedIPC, openIPC)
	if slices.Contains(c.words, enforcedIPC) {
		c.grants = append(c.grants, grant{sharedMemory, write})
	}

	c.say(readOnly, enforcedMetadata, openMetadata)
	return nil
}

// say records whether a restriction applies.
func (c *confinement) say(applied bool, enforced, open string) {
	if !applied {
		enforced = open
	}
	c.words = append(c.words, enforced)
}

// sharedMemory is the directory of POSIX shared memory.
const sharedMemory = "/dev/shm"

// uses reports whether the stage needs files in dir, such as its own directory if the cache
// is there.
func (c *confinement) uses(dir string) bool {
	return slices.ContainsFunc(c.grants, func(g grant) bool {
		real, err := filepath.EvalSymlinks(g.path)
		return err == nil && within(real, dir)
	})
}

// ownSharedMemory hides the POSIX shared memory of the machine.
func ownSharedMemory() error {
	return unix.Mount("shm", sharedMemory, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
}

// writable lists the paths that a stage may write: existing ones, none inside another. A
// stage's directory and its TMPDIR are one path if they have one parent, so that files can
// be renamed from one to the other.
func (c *confinement) writable() []string {
	var list []string
	for _, g := range c.grants {
		if g.access != write {
			continue
		}

		if real, err := filepath.EvalSymlinks(g.path); err == nil {
			list = append(list, real)
		}
	}

	if len(list) > 1 && filepath.Dir(list[0]) == filepath.Dir(list[1]) {
		list[0] = filepath.Dir(list[0])
	}

	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	var outer []string
	for _, p := range list {
		if !slices.ContainsFunc(outer, func(o string) bool { return within(p, o) }) {
			outer = append(outer, p)
		}
	}

	return outer
}

// readOnlyBut makes all mounts of the calling thread's namespace read-only except for the
// given paths. Devices can still be written. The directory from, which can be written too, is mounted at the path to,
// unless that is empty.
func readOnlyBut(writable []string, from, to string) error {
	targets := slices.Clone(writable)
	if to != "" {
		writable, targets = append(slices.Clone(writable), from), append(targets, to)
	}

	trees := make([]int, len(writable))
	for i := range trees {
		trees[i] = -1
	}

	defer func() {
		for _, fd := range trees {
			if fd >= 0 {
				_ = unix.Close(fd)
			}
		}
	}()
	for i, p := range writable {
		fd, err := unix.OpenTree(unix.AT_FDCWD, p, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return os.NewSyscallError("open_tree", err)
		}

		trees[i] = fd
	}

	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr); err != nil {
		return os.NewSyscallError("mount_setattr", err)
	}

	for i, p := range targets {
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, p, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			// Undo: after a partial move, some writable paths would be read-only.
			attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
			_ = unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr)
			return os.NewSyscallError("move_mount", err)
		}
	}

	return nil
}
