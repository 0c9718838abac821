package local

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// confinement holds the restrictions of one stage.
type confinement struct {
	words   []string
	grants  []grant
	network int // open file of its network namespace, or -1
}

// confine restricts the calling thread, and the processes that it starts, to what the
// job declares. The thread cannot be used for anything else afterwards.
func (s *Sandbox) confine(job *engine.Job, program string) (*confinement, error) {
	if s.off {
		return &confinement{words: append(unheld(job.Instance), askedFor), network: -1}, nil
	}
	s.once.Do(s.prepare)
	c := &confinement{grants: s.grants(job, program), network: -1}
	noTCP := false
	if job.Instance.Network != pipeline.NetworkFull {
		network, err := s.enter()
		switch {
		case err == nil:
			c.network = network
			c.words = append(c.words, heldNetwork)
		case !errors.Is(err, errNoNetworks):
			return nil, fmt.Errorf("create a separate network for the stage: %w; use --isolation off to run without one", err)
		case job.Instance.Network == pipeline.NetworkNone && s.abi >= minNetABI:
			noTCP = true
		default:
			c.words = append(c.words, openNetwork)
		}
	}
	if s.abi == 0 {
		c.words = append(c.words, openFiles)
		return c, nil
	}
	if err := s.restrictFiles(c.grants, noTCP); err != nil {
		s.give(c.network, false)
		return nil, fmt.Errorf("restrict the stage with Landlock: %w; use --isolation off to run without it", err)
	}
	if os.Geteuid() == 0 {
		dropCapabilities()
	}
	c.words = append(c.words, heldFiles)
	if noTCP {
		c.words = append(c.words, heldTCP)
	}
	return c, nil
}

// release releases the resources of a stage's restrictions.
func (s *Sandbox) release(c *confinement, ended bool) { s.give(c.network, ended) }

// Close closes what the sandbox keeps open between stages. The sandbox cannot be used
// afterwards.
func (s *Sandbox) Close() error {
	s.close()
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
