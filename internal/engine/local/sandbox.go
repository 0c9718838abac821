package local

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Words of Result.Isolation for what a sandbox held a stage to, and for what
// nothing held it to.
const (
	heldFiles   = "landlock"         // no files but its own and the system's
	heldNetwork = "no-network"       // a network of its own, with loopback only
	heldTCP     = "no-tcp"           // no TCP, where no network of its own was to be had
	openFiles   = "files-not-held"   // undeclared files could be read
	openNetwork = "network-not-held" // a network could be reached that is not declared
	askedFor    = "isolation-off"    // both by the user's choice
)

// A Sandbox keeps stages to the files and the network that they declare, as
// far as this system lets it. Use NewSandbox; one serves any number of stages
// at once.
type Sandbox struct {
	// hidden are directories that stay closed even where they are inside
	// one that is open to every stage.
	hidden []string
	off    bool
	// roots are open to every stage.
	roots []grant
	sandboxState
}

// NoSandbox holds nothing, and has every record say so.
func NoSandbox() *Sandbox { return &Sandbox{off: true} }

// access is what a stage may do below a path.
type access int

const (
	read  access = iota // read and execute
	write               // everything
)

// grant opens a file, or a directory with all that is in it.
type grant struct {
	path   string
	access access
}

// grants are what a stage may reach beside what is open to all.
func (s *Sandbox) grants(job *engine.Job, program string) []grant {
	list := []grant{{job.Dir, write}, {job.TempDir, write}}
	list = append(list, s.installation(program)...)
	for _, variable := range job.Env {
		name, value, _ := strings.Cut(variable, "=")
		passed := slices.Contains(job.Instance.Passthrough, name)
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

// installation opens a program and, where it is PREFIX/bin/NAME, what was
// installed with it.
func (s *Sandbox) installation(program string) []grant {
	list := []grant{{program, read}}
	if prefix, ok := s.prefix(filepath.Dir(program)); ok {
		list = append(list, grant{prefix, read})
	}
	return list
}

// installed opens a directory of programs and what was installed with them.
func (s *Sandbox) installed(bin string) grant {
	if prefix, ok := s.prefix(bin); ok {
		return grant{prefix, read}
	}
	return grant{bin, read}
}

// prefix is PREFIX of PREFIX/bin, unless what is hidden is in it: ~/bin does
// not open the home.
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

// within tells whether path is dir or below it; both are clean.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// unheld are the words for a stage that nothing is held back from.
func unheld(in *pipeline.Instance) []string {
	if in.Network == pipeline.NetworkFull {
		return []string{openFiles}
	}
	return []string{openFiles, openNetwork}
}
