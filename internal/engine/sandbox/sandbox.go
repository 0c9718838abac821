// Package sandbox runs a command and restricts it to the files and the network that it declares, as far as the
// system supports it.
//
// The local executor and the program on a worker both use it. It only imports packages keeper and process, what
// speaks to the kernel, and the standard library without regexp, so that a helper and the program on a worker run
// stages before the rest of touchstone is initialized: see package inside for how.
package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Values of Result.Isolation: the restrictions that a sandbox applied to a stage, and
// the missing ones.
const (
	enforcedFiles   = "landlock"             // only its own files and those of the system
	enforcedNetwork = "no-network"           // a separate network with only loopback
	enforcedTCP     = "no-tcp"               // no TCP, if a separate network is not available
	enforcedSockets = "no-sockets"           // no sockets at all, if a separate network is not available
	openFiles       = "files-not-enforced"   // undeclared files were readable
	openNetwork     = "network-not-enforced" // undeclared networks were reachable
	askedFor        = "isolation-off"        // neither, by the user's choice

	enforcedUnix      = "no-unix-sockets"           // no sockets of the file system and of hypervisors
	openUnix          = "unix-sockets-not-enforced" // they could be connected to
	enforcedProcesses = "own-processes"             // no process but its own exists, and all end with it
	openProcesses     = "processes-not-enforced"    // a daemon could outlive it
	enforcedIPC       = "own-ipc"                   // shared memory, semaphores and queues of its own
	openIPC           = "ipc-not-enforced"          // it shared those of the machine
	enforcedMetadata  = "read-only-files"           // no mode, owner, time or attribute of another file changes
	openMetadata      = "metadata-not-enforced"     // those of files that the user may change could change
)

// A Sandbox restricts stages to the files and the network that they declare, as far as
// this system supports it. Create it with New. It is safe for concurrent use by
// any number of stages.
type Sandbox struct {
	// hidden are directories that remain closed, even inside a directory that is
	// open to every stage.
	hidden []string
	off    bool
	// roots are the directories that are open to every stage.
	roots []grant
	sandboxState
}

// Disabled returns a sandbox without restrictions. Every record contains that.
func Disabled() *Sandbox { return &Sandbox{off: true} }

// Off reports whether the sandbox is one without restrictions.
func (s *Sandbox) Off() bool { return s.off }

// Records reports whether the record of a stage says what it read, as far as that is known before a stage runs.
func (s *Sandbox) Records() bool { return s.Unrecorded() == "" }

// Unrecorded returns the reason why the record of a stage does not say what it read, or "", as far as that is known
// before a stage runs.
func (s *Sandbox) Unrecorded() string {
	if s == nil {
		return IsOff
	}
	why := s.recorder.Unavailable()
	if why == "" && s.off {
		return IsOff
	}
	return why
}

// IsOff is the reason of a system that could record.
const IsOff = "isolation is off"

// access is the kind of access that a stage has to a path.
type access int

const (
	read  access = iota // read and execute
	write               // everything
)

// grant allows access to a file, or to a directory and everything in it.
type grant struct {
	path   string
	access access
}

// grants returns what a stage may access in addition to what is open to all stages.
func (s *Sandbox) grants(job *Job, program string) []grant {
	list := []grant{{job.Command.Dir, write}, {job.Command.TempDir, write}}
	list = append(list, s.installation(program)...)
	if filepath.IsAbs(job.Installed) {
		list = append(list, s.installation(job.Installed)...)
	}

	for _, variable := range job.Command.Env {
		name, value, _ := strings.Cut(variable, "=")
		passed := slices.Contains(job.Passthrough, name)
		for _, p := range filepath.SplitList(value) {
			switch {
			case !filepath.IsAbs(p) || filepath.Clean(p) == "/":
			case name == "PATH":
				list = append(list, s.installed(filepath.Clean(p)))
			case passed:
				list = append(list, grant{filepath.Clean(p), write})
			}
		}
	}

	return list
}

// installation grants access to a program. If its path is PREFIX/bin/NAME, it also
// grants access to the files that were installed with it.
func (s *Sandbox) installation(program string) []grant {
	list := []grant{{program, read}}
	if prefix, ok := s.prefix(filepath.Dir(program)); ok {
		list = append(list, grant{prefix, read})
	}
	return list
}

// installed grants access to a directory of programs, and to the files that were
// installed with them.
func (s *Sandbox) installed(bin string) grant {
	if prefix, ok := s.prefix(bin); ok {
		return grant{prefix, read}
	}

	// The programs of npm are links into the packages beside their directory.
	if packages := filepath.Dir(bin); filepath.Base(bin) == ".bin" && filepath.Base(packages) == "node_modules" {
		return grant{packages, read}
	}

	return grant{bin, read}
}

// prefix returns PREFIX of PREFIX/bin, unless it contains a hidden directory: ~/bin
// must not open the home directory.
func (s *Sandbox) prefix(bin string) (string, bool) {
	prefix := filepath.Dir(bin)
	if !isBin(bin) || prefix == "/" || slices.ContainsFunc(s.hidden, func(h string) bool { return within(h, prefix) }) {
		return "", false
	}
	return prefix, true
}

func isBin(dir string) bool {
	return filepath.Base(dir) == "bin" || filepath.Base(dir) == "sbin"
}

// within reports whether path is dir or inside dir. Both paths are clean.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// unrestricted returns the values of Result.Isolation for a stage without restrictions.
func unrestricted(network Network) []string {
	words := []string{openFiles, openProcesses, openIPC, openMetadata}
	if network != AnyNetwork {
		words = append(words, openNetwork)
	}
	if network == NoNetwork {
		words = append(words, openUnix)
	}
	return words
}
