package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/keeper"
	"github.com/touchstone-eval/touchstone/internal/engine/process"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// confinement holds the restrictions of one stage.
type confinement struct {
	words   []string
	grants  []grant
	network int // open file of its network namespace, or -1
	// from and to are the paths of the parent of the stage's directory for this process and for the stage. to is empty
	// if they are the same.
	from, to string
	keeper   *keeper.Keeper // of its PID namespace, or nil
	// recording is that of what the stage reads, or nil.
	recording *reads.Recording
}

// confine restricts the calling thread, and the processes that it starts, to what the
// job declares. The thread cannot be used for anything else afterwards.
func (s *Sandbox) confine(job *Job, program string) (*confinement, error) {
	if s.off {
		return &confinement{words: append(unrestricted(job.Network), askedFor), network: -1}, nil
	}
	s.once.Do(s.prepare)
	records := job.Record && s.recorder.Unavailable() == ""
	if records {
		// A process that is started later has the restrictions of the stage.
		if err := s.recorder.Prepare(process.StartOwn); err != nil {
			return nil, err
		}
	}

	c := &confinement{grants: s.grants(job, program), network: -1}
	err := s.restrict(c, job)
	if err == nil && records {
		err = s.record(c, job, program)
	}

	if err != nil {
		s.release(c, false)
		return nil, fmt.Errorf("%w; use --isolation off to run without it", err)
	}

	return c, nil
}

// umask is that of every stage.
const umask = 0o022

func (s *Sandbox) restrict(c *confinement, job *Job) error {
	declared := job.Network
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return os.NewSyscallError("unshare", err)
	}

	unix.Umask(umask) // of this thread alone, because of unshare
	if err := s.enterNetwork(c, declared); err != nil {
		return fmt.Errorf("create a separate network for the stage: %w", err)
	}

	if err := s.separate(c, filepath.Dir(job.Command.Dir)); err != nil {
		return fmt.Errorf("create separate namespaces for the stage: %w", err)
	}

	noTCP := declared == NoNetwork && c.network < 0 && s.abi >= minNetABI && !s.lacks[enforcedTCP]
	if s.abi > 0 {
		if err := s.restrictFiles(c.grants, declared, noTCP); err != nil {
			return fmt.Errorf("restrict the stage with Landlock: %w", err)
		}
	}

	sockets, err := s.restrictCalls(c, declared)
	if err != nil {
		return fmt.Errorf("restrict the stage's system calls: %w", err)
	}

	if s.abi > 0 && os.Geteuid() == 0 {
		dropCapabilities()
	}

	if s.helps {
		if err := dropHelped(); err != nil {
			return fmt.Errorf("give up capabilities: %w", err)
		}
	}

	c.say(s.abi > 0, enforcedFiles, openFiles)
	if declared == AnyNetwork {
		return nil
	}

	switch {
	case c.network >= 0:
		c.words = append(c.words, enforcedNetwork)
	case declared == NoNetwork && sockets:
		c.words = append(c.words, enforcedSockets)
	case noTCP:
		c.words = append(c.words, enforcedTCP)
	default:
		c.words = append(c.words, openNetwork)
	}

	if declared == NoNetwork {
		c.say(sockets, enforcedUnix, openUnix)
	}

	return nil
}

// record begins to record what the stage reads outside of the directories that it may write.
func (s *Sandbox) record(c *confinement, job *Job, program string) error {
	own := []string{job.Command.Dir, job.Command.TempDir}
	if c.to != "" {
		own = append(own, c.to)
	}

	for _, g := range c.grants {
		// A variable such as a list of directories may name those of the system, where a stage only reads.
		if g.access == write && !isSystem(g.path) {
			own = append(own, g.path)
		}
	}

	for _, dir := range own {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			own = append(own, real)
		}
	}

	var err error
	if c.recording, err = s.recorder.Begin(install, program, job.Installed, job.Covered, own); err != nil {
		return fmt.Errorf("record what the stage reads: %w", err)
	}

	return nil
}

// isSystem reports whether a path is a directory of the system that every stage may read, or in one in which only the
// system's package manager writes.
func isSystem(path string) bool {
	return slices.ContainsFunc(system, func(g grant) bool {
		return path == g.path || g.access == read && g.path != "/opt" && within(path, g.path)
	}) && !within(path, "/usr/local")
}

// ended is called on the thread of the stage when its first process has ended, or could not be started.
func (c *confinement) ended() {
	if c.recording != nil {
		c.recording.Mark()
	}
}

// recorded ends the recording of what a stage reads, whose processes have ended, and adds it to the result.
// The error is reads.ErrDisturbed.
func (s *Sandbox) recorded(c *confinement, to *Result) error {
	if c.recording == nil {
		return nil
	}

	var err error
	to.Reads, to.Recorded, err = c.recording.End()
	if err != nil || s.abi == 0 { // without Landlock, everything was readable
		return err
	}

	open := s.open(c.grants)
	for i, r := range to.Reads {
		if !open(r.Path) {
			real, err := filepath.EvalSymlinks(r.Path)
			to.Reads[i].Denied = err != nil || !open(real)
		}
	}

	return nil
}

// enterNetwork gives the stage a network of its own, unless it declares the network or
// this process may not.
func (s *Sandbox) enterNetwork(c *confinement, declared Network) error {
	if declared == AnyNetwork || s.lacks[enforcedNetwork] {
		return nil
	}
	network, err := s.enter()
	if errors.Is(err, errNoNetworks) {
		return nil
	}
	if err == nil {
		c.network = network
	}
	return err
}

// restrictCalls installs the filter of system calls. It reports whether the filter
// restricts the families of sockets.
func (s *Sandbox) restrictCalls(c *confinement, declared Network) (sockets bool, err error) {
	refused := calls{others: c.keeper == nil}
	switch {
	case declared == NoNetwork && c.network >= 0:
		refused.families = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	case declared == NoNetwork:
		refused.families = []uint32{unix.AF_NETLINK}
	case declared == Loopback:
		refused.families = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_UNIX}
	}

	filter := refused.filter()
	if filter == nil || s.lacks[enforcedUnix] {
		return false, nil
	}

	_, err = install(filter, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return false, nil // a kernel without filters
	}

	return err == nil && refused.families != nil, err
}

// release releases the resources of a stage's restrictions, and ends what is left of the
// stage. ended is whether it is certain that nothing is left. The result is that it is
// certain now.
func (s *Sandbox) release(c *confinement, ended bool) bool {
	if c.keeper != nil {
		ended = s.keepers.Release(c.keeper)
	}
	s.give(c.network, ended)
	return ended
}

// ownProcesses reports whether the stage has a PID namespace.
func (c *confinement) ownProcesses() bool { return c.keeper != nil }

// Close closes what the sandbox keeps open between stages. The sandbox cannot be used
// afterwards.
func (s *Sandbox) Close() error {
	if s.helper != nil {
		_ = s.helper.close() // its exit status says nothing
	}

	s.close()
	s.recorder.Close()
	s.keepers.Close()
	for _, o := range s.base {
		_ = unix.Close(o.fd)
	}
	s.base = nil
	return nil
}

// containerCapabilities are the capabilities that a stage keeps if it runs as root.
// They are those of root in a Docker container. Others could circumvent the sandbox:
// CAP_PERFMON would give access to the environment of every process, with secrets.
var containerCapabilities = []int{
	unix.CAP_AUDIT_WRITE, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL,
	unix.CAP_MKNOD, unix.CAP_NET_BIND_SERVICE, unix.CAP_NET_RAW, unix.CAP_SETFCAP, unix.CAP_SETGID, unix.CAP_SETPCAP,
	unix.CAP_SETUID, unix.CAP_SYS_CHROOT,
}

// dropCapabilities removes all other capabilities from the processes that the calling
// thread starts. If the kernel refuses, root keeps its capabilities.
func dropCapabilities() {
	for c := range unix.CAP_LAST_CAP + 1 {
		if !slices.Contains(containerCapabilities, c) {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		}
	}
}
