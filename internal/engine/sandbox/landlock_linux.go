package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/keeper"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// sandboxState is the state that a sandbox keeps between stages.
type sandboxState struct {
	once sync.Once
	abi  int        // of Landlock; 0 if it is not available
	base []openPath // roots, opened
	networks
	keepers  keeper.Pool
	recorder reads.Recorder
	// lacks are the restrictions that the system is to be without, for tests.
	lacks map[string]bool
	// helps is whether this process is a helper. Otherwise it may have one.
	helps   bool
	helping sync.Once
	helper  *helper
}

// openPath is a path that was opened with O_PATH, for use in rules.
type openPath struct {
	fd     int
	dir    bool
	access access
}

// New returns a sandbox. Stages cannot access the hidden directories, such as
// the pipeline's root and the cache, except for the files that they declare. This
// also applies to hidden directories inside directories that are open to all stages.
func New(hidden ...string) *Sandbox {
	s := &Sandbox{}
	for _, h := range hidden {
		if h, err := filepath.EvalSymlinks(h); err == nil && h != "/" {
			s.hidden = append(s.hidden, h)
		}
	}
	return s
}

// minABI is the first version of Landlock that allows moving files between
// directories. With earlier versions, mv and rename would fail in a stage.
const minABI = 2

// minNetABI is the first version that can forbid TCP.
const minNetABI = 4

// The directories of the system, which are the same for all users of the machine. To
// a stage, they correspond to the image of a container. They do not include files of
// users, services and the project.
var system = []grant{
	{"/usr", read}, {"/bin", read}, {"/sbin", read},
	{"/lib", read}, {"/lib32", read}, {"/lib64", read}, {"/libx32", read},
	{"/opt", read}, {"/nix/store", read}, {"/gnu/store", read},
	{"/run/current-system", read}, {"/run/opengl-driver", read},
	{"/etc", read}, {"/var/lib/ca-certificates", read},
	// /etc/resolv.conf may be a link to one of these.
	{"/run/systemd/resolve", read}, {"/run/resolvconf", read}, {"/run/NetworkManager/resolv.conf", read},
	// The kernel does not expose the memory, environment and open files of
	// processes outside the stage.
	{"/proc", read}, {"/sys", read},
	{"/dev/null", write}, {"/dev/zero", write}, {"/dev/full", write},
	{"/dev/random", write}, {"/dev/urandom", write},
	{"/dev/tty", write}, {"/dev/ptmx", write}, {"/dev/pts", write}, {"/dev/shm", write},
	{"/dev/dri", write}, {"/dev/kfd", write},
}

// secrets are files of the system that only root can read. A stage may run as root.
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

// without lists the paths that must be opened so that everything in dir is open
// except the closed paths.
func without(dir string, closed []string) []string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	return realWithout(real, closed)
}

// realWithout is without for a path that contains no symbolic link.
func realWithout(real string, closed []string) []string {
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
			continue // access depends on the target of the link
		}

		list = append(list, realWithout(p, closed)...)
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
	fileRights = landlock.AccessFSExecute | landlock.AccessFSReadFile | landlock.AccessFSWriteFile |
		landlock.AccessFSTruncate | landlock.AccessFSIoctlDev
)

// minDeviceABI is the first version that can restrict ioctl on devices.
const minDeviceABI = 5

// allRights returns the file system rights that this kernel supports.
func (s *Sandbox) allRights() uint64 {
	rights := uint64(landlock.AccessFSRefer<<1 - 1)
	if s.abi >= 3 {
		rights |= landlock.AccessFSTruncate
	}
	if s.abi >= minDeviceABI {
		rights |= landlock.AccessFSIoctlDev
	}
	return rights
}

// noRights are never granted: a device node that a stage creates would access a
// device of the machine.
const noRights = landlock.AccessFSMakeChar | landlock.AccessFSMakeBlock

// minScopeABI is the first version that can restrict signals and abstract sockets to
// the processes of a stage.
const minScopeABI = 6

// restrictFiles restricts the calling thread, and the processes that it starts, to the
// files of the system and the granted ones. The restriction cannot be removed.
func (s *Sandbox) restrictFiles(granted []grant, network Network, noTCP bool) error {
	attr := landlock.RulesetAttr{HandledAccessFS: s.allRights()}
	if noTCP {
		attr.HandledAccessNet = landlock.AccessNetBindTCP | landlock.AccessNetConnectTCP
	}

	if s.abi >= minScopeABI {
		attr.Scoped = landlock.ScopeSignal
		if network != AnyNetwork {
			attr.Scoped |= landlock.ScopeAbstractUnixSocket
		}
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
			continue // a variable or PATH contains a path that does not exist
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

	// Without this, the kernel only allows root to restrict itself.
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
	return landlock.LandlockAddPathBeneathRule(ruleset,
		&landlock.PathBeneathAttr{ParentFd: o.fd, AllowedAccess: rights}, 0)
}
