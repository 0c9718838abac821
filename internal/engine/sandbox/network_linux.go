package sandbox

import (
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// networks manages network namespaces that only have a loopback interface. Creating
// one takes most of a millisecond, so a namespace without remaining processes is
// reused for the next stage.
type networks struct {
	mu      sync.Mutex
	spare   []int // open files of namespaces
	refused bool  // this process may not create namespaces
}

// errNoNetworks means that this process may not create network namespaces, which
// requires CAP_SYS_ADMIN.
var errNoNetworks = errors.New("network namespaces are not permitted")

// enter moves the calling thread, and the processes that it starts, to a separate
// network namespace. The caller returns the namespace, or closes it if processes may
// remain in it.
func (n *networks) enter() (network int, err error) {
	n.mu.Lock()
	if k := len(n.spare); k > 0 {
		network, n.spare = n.spare[k-1], n.spare[:k-1]
		n.mu.Unlock()
		if err := unix.Setns(network, unix.CLONE_NEWNET); err != nil {
			_ = unix.Close(network)
			return -1, err
		}

		return network, nil
	}

	refused := n.refused
	n.mu.Unlock()
	if refused {
		return -1, errNoNetworks
	}

	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		n.mu.Lock()
		n.refused = true
		n.mu.Unlock()
		return -1, errNoNetworks
	}

	if err := raiseLoopback(); err != nil {
		return -1, err
	}

	return unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

func (n *networks) give(network int, ended bool) {
	if network < 0 {
		return
	}
	if !ended {
		_ = unix.Close(network)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spare = append(n.spare, network)
}

// close closes the spare namespaces, which removes them.
func (n *networks) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, network := range n.spare {
		_ = unix.Close(network)
	}
	n.spare = nil
}

// raiseLoopback enables the loopback interface of the calling thread's network
// namespace, for servers that a stage starts.
func raiseLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, request)
}
