package local

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// sandboxState is what a sandbox keeps between stages.
type sandboxState struct {
	once sync.Once
	abi  int        // of Landlock; 0 where it is not to be had
	base []openPath // roots, opened
	networks
}

// openPath is a path that was opened only to be named in rules.
type openPath struct {
	fd     int
	dir    bool
	access access
}

// NewSandbox makes a sandbox. What is in the hidden directories, such as the
// pipeline's root and the store, is closed to every stage that does not
// declare it, wherever they are.
func NewSandbox(hidden ...string) *Sandbox {
	s := &Sandbox{}
	for _, h := range hidden {
		if h, err := filepath.EvalSymlinks(h); err == nil && h != "/" {
			s.hidden = append(s.hidden, h)
		}
	}
	return s
}

// minABI is the first version of Landlock that lets a file be moved between
// directories. Under the first one, mv and rename would fail within a stage.
const minABI = 2

// minNetABI is the first version that can forbid TCP.
const minNetABI = 4

// The system's own directories, the same for whoever uses the machine: to a
// stage they are what an image is to a container. What belongs to users, to
// services and to the project is not among them.
var system = []grant{
	{"/usr", read}, {"/bin", read}, {"/sbin", read},
	{"/lib", read}, {"/lib32", read}, {"/lib64", read}, {"/libx32", read},
	{"/opt", read}, {"/nix/store", read}, {"/gnu/store", read},
	{"/run/current-system", read}, {"/run/opengl-driver", read},
	{"/etc", read}, {"/var/lib/ca-certificates", read},
	// What /etc/resolv.conf may be a link to.
	{"/run/systemd/resolve", read}, {"/run/resolvconf", read}, {"/run/NetworkManager/resolv.conf", read},
	// Of a process outside the stage the kernel shows neither memory nor
	// environment nor open files.
	{"/proc", read}, {"/sys", read},
	{"/dev/null", write}, {"/dev/zero", write}, {"/dev/full", write},
	{"/dev/random", write}, {"/dev/urandom", write},
	{"/dev/tty", write}, {"/dev/ptmx", write}, {"/dev/pts", write}, {"/dev/shm", write},
	{"/dev/dri", write}, {"/dev/kfd", write},
}

// secrets of the system that only its administrator can read; a stage may run
// as one.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
	"/etc/ssh", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/kubernetes",
}

func (s *Sandbox) prepare() {
	if abi, err := landlock.LandlockGetABIVersion(); err == nil && abi >= minABI {
		s.abi = abi
	}
	if s.abi == 0 {
		return
	}
	gpus, _ := filepath.Glob("/dev/nvidia*")
	all := slices.Clone(system)
	for _, g := range gpus {
		all = append(all, grant{g, write})
	}
	closed := slices.Clone(s.hidden)
	if os.Geteuid() == 0 {
		closed = append(closed, systemSecrets...)
	}
	for _, g := range all {
		for _, p := range without(g.path, closed) {
			g := grant{p, g.access}
			if o, err := openForRule(g); err == nil {
				s.base = append(s.base, o)
				s.roots = append(s.roots, g)
			}
		}
	}
}

// without lists what has to be opened for all of dir but the closed paths to
// be open.
func without(dir string, closed []string) []string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	inside := slices.ContainsFunc(closed, func(c string) bool { return within(c, real) && c != real })
	switch {
	case slices.Contains(closed, real):
		return nil
	case !inside:
		return []string{real}
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		p := filepath.Join(real, e.Name())
		if e.Type()&os.ModeSymlink != 0 {
			continue // what it leads to is open or closed by itself
		}
		list = append(list, without(p, closed)...)
	}
	return list
}

func openForRule(g grant) (openPath, error) {
	fd, err := unix.Open(g.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return openPath{}, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd)
		return openPath{}, err
	}
	return openPath{fd, st.Mode&unix.S_IFMT == unix.S_IFDIR, g.access}, nil
}

const (
	readRights = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSReadDir
	fileRights = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate
)

// allRights are those of the file system that this kernel knows. What devices
// are told (ioctl) is left alone: those that are open at all are harmless.
func (s *Sandbox) allRights() uint64 {
	rights := uint64(landlock.AccessFSRefer<<1 - 1)
	if s.abi >= 3 {
		rights |= landlock.AccessFSTruncate
	}
	return rights
}

// noRights are granted to nobody: a device that a stage makes is the machine's.
const noRights = landlock.AccessFSMakeChar | landlock.AccessFSMakeBlock

// minScopeABI is the first version that can keep signals and abstract sockets
// among the processes of a stage.
const minScopeABI = 6

// restrictFiles confines the calling thread, and what it will start, to the
// system's files and what is granted. There is no way back.
func (s *Sandbox) restrictFiles(granted []grant, noTCP bool) error {
	attr := landlock.RulesetAttr{HandledAccessFS: s.allRights()}
	if noTCP {
		attr.HandledAccessNet = landlock.AccessNetBindTCP | landlock.AccessNetConnectTCP
	}
	if s.abi >= minScopeABI {
		attr.Scoped = landlock.ScopeSignal
	}
	ruleset, err := landlock.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(ruleset) }()
	for _, o := range s.base {
		if err := s.addRule(ruleset, o); err != nil {
			return err
		}
	}
	for _, g := range granted {
		o, err := openForRule(g)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
			continue // a variable or PATH names what is not there
		}
		if err != nil {
			return err
		}
		err = s.addRule(ruleset, o)
		_ = unix.Close(o.fd)
		if err != nil {
			return err
		}
	}
	// Without this the kernel lets only an administrator confine himself.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return landlock.LandlockRestrictSelf(ruleset, 0)
}

func (s *Sandbox) addRule(ruleset int, o openPath) error {
	rights := uint64(readRights)
	if o.access == write {
		rights = s.allRights() &^ noRights
	}
	if !o.dir {
		rights &= fileRights
	}
	return landlock.LandlockAddPathBeneathRule(ruleset, &landlock.PathBeneathAttr{ParentFd: o.fd, AllowedAccess: rights}, 0)
}
