package reads

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// paths collects the paths that a stage reads.
type paths struct {
	own []string
	// covered is the path of a program whose own reads are not recorded, or empty.
	covered string
	found   map[string]*Read
	// started are the programs outside of the stage's own directories whose interpreters are recorded.
	started map[string]bool
	lost    bool // the record is not complete
}

func newPaths(own []string, covered string) paths {
	return paths{own: own, covered: covered, found: map[string]*Read{}, started: map[string]bool{}}
}

// changing are directories whose files say what the machine does at the moment.
var changing = []string{"/proc", "/sys", "/dev", "/run"}

// called records a call.
func (p *paths) called(n *notice) {
	at := slices.IndexFunc(calls, func(c call) bool { return c.number == n.number })
	if n.arch != architecture || at < 0 {
		p.lost = true // a program with 32 bits
		return
	}

	c, process := calls[at], int(n.process)
	if c.kind == leaves {
		p.lost = true
		return
	}

	// What a covered program executes is another one, in most cases.
	if p.covered != "" && c.kind != executes && p.covered == programOf(process) {
		return
	}

	path, err := readText(process, uintptr(n.args[c.path]))
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		p.lost = true
	}

	if err != nil || path == "" && c.kind != executes {
		return // the call will fail too
	}

	if n.number == unix.SYS_OPENAT2 && p.underRoot(n) {
		return
	}

	dir := "cwd"
	if c.dir != none && int32(n.args[c.dir]) != unix.AT_FDCWD {
		dir = fmt.Sprintf("fd/%d", int32(n.args[c.dir]))
	}

	p.add(p.absolute(path, process, dir), process, c.kind)
}

// absolute returns a path of a process in a form that is valid for all processes. dir is the name below its directory
// in /proc of what a relative path starts from. The result is empty if the process has ended, or if the file has no
// path.
func (p *paths) absolute(path string, process int, dir string) string {
	if !filepath.IsAbs(path) {
		base, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", process, dir))
		if err != nil || !filepath.IsAbs(base) {
			return ""
		}

		path = base + "/" + path
	}

	path = p.unlinked(tidy(path), process)
	if len(path) >= unix.PathMax {
		p.lost = true
		return ""
	}

	return path
}

// unlinked replaces a link in /proc, which leads to any place, by where it leads for a process.
func (p *paths) unlinked(path string, process int) string {
	if rest, ok := strings.CutPrefix(path, "/dev/fd/"); ok {
		path = "/proc/self/fd/" + rest
	}

	rest, ok := strings.CutPrefix(path, "/proc/")
	if !ok {
		return path
	}

	whose, link, _ := strings.Cut(rest, "/")
	name, rest, _ := strings.Cut(link, "/")
	if name == "fd" {
		number, after, _ := strings.Cut(rest, "/")
		name, rest = "fd/"+number, after
	} else if name != "root" && name != "cwd" {
		return path
	}

	from := fmt.Sprintf("/proc/%d", process)
	if whose != "self" && whose != "thread-self" {
		from += "/root/proc/" + whose // the numbers of processes may be those of a namespace
	}

	base, err := os.Readlink(from + "/" + name)
	if err != nil || !filepath.IsAbs(base) {
		return path
	}

	return tidy(base + "/" + rest)
}

// tidy removes empty elements and those that are a dot, which mean nothing. ".." after a link has a meaning.
func tidy(path string) string {
	if !strings.Contains(path, "//") && !strings.Contains(path, "/./") && !strings.HasSuffix(path, "/.") &&
		!strings.HasSuffix(path, "/") {
		return path
	}

	var b strings.Builder
	for element := range strings.SplitSeq(path, "/") {
		if element != "" && element != "." {
			b.WriteString("/" + element)
		}
	}

	if b.Len() == 0 {
		return "/"
	}

	return b.String()
}

// underRoot reports whether a call of openat2(2) begins absolute paths and links in a directory of its own. Where they
// lead is not known then.
func (p *paths) underRoot(n *notice) bool {
	var how unix.OpenHow
	b := unsafe.Slice((*byte)(unsafe.Pointer(&how)), unsafe.Sizeof(how))
	if size := int(min(n.args[3], uint64(len(b)))); readMemory(int(n.process), uintptr(n.args[2]), b[:size]) != nil ||
		how.Resolve&unix.RESOLVE_IN_ROOT == 0 {
		return false
	}

	p.lost = true
	return true
}

func (p *paths) add(path string, process int, kind callKind) {
	if read := p.found[path]; read != nil && (read.Opened || !kind.opens()) && kind != executes {
		read.again(kind.opens(), kind == asks)
		return
	}

	if kind == executes && path == "/proc/self/exe" {
		path = programOf(process)
	}

	outside, file := p.leave(path, process)
	if to := p.unlinked(outside, process); to != outside { // a link of the stage led there
		outside, file = p.leave(to, process)
	}

	switch {
	case outside == "":
		if kind == executes {
			p.executed(file, process, 0)
		}
	case outside == p.covered || within(outside, changing):
	default:
		p.record(outside, kind)
		if kind == executes && !p.started[outside] {
			p.started[outside] = true
			p.executed(file, process, 0)
		}
	}
}

// leave follows a path of a process as long as it is in the stage's own directories. outside is where it leaves them,
// or empty if it does not; file is the path for this process after that.
func (p *paths) leave(path string, process int) (outside, file string) {
	root := fmt.Sprintf("/proc/%d/root", process) // only the process has its own directories there
	at, rest := "", strings.Split(strings.TrimPrefix(path, "/"), "/")
	const maxLinks = 40 // of the kernel
	for links := 0; len(rest) > 0 && path != ""; {
		element := rest[0]
		rest = rest[1:]
		if element == ".." {
			if i := strings.LastIndexByte(at, '/'); i >= 0 {
				at = at[:i]
			}

			continue
		}

		next := at + "/" + element
		inside := within(next, p.own)
		if !inside && !slices.ContainsFunc(p.own, func(own string) bool { return strings.HasPrefix(own, next+"/") }) {
			outside = strings.Join(append([]string{next}, rest...), "/")
			if strings.Contains(outside, "/..") {
				// It may come back.
				if real, err := filepath.EvalSymlinks(outside); err == nil && within(real, p.own) {
					return "", root + real
				}
			}

			return outside, outside
		}

		target, err := os.Readlink(root + next)
		if !inside || err != nil || links == maxLinks {
			at = next
			continue
		}

		links++
		if filepath.IsAbs(target) {
			at = ""
		}

		rest = append(strings.Split(strings.TrimPrefix(tidy(target), "/"), "/"), rest...)
	}

	return "", root + at
}

// programOf returns the path of the program of a process, or "" if it has ended.
func programOf(process int) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", process)) // it is empty in that case
	return path
}

// begin records the execution of the stage's program, which this process finds at the same path. named is another path
// of it, or empty.
func (p *paths) begin(program, named string) {
	if program == p.covered {
		return
	}

	for _, path := range []string{program, named} {
		if path != "" && !within(path, p.own) {
			p.record(path, opens)
		}
	}

	p.executed(program, os.Getpid(), 0)
}

// executed records what the kernel reads to execute a file: the program in the first line of a script, or the loader of
// a program. The kernel follows that to a depth of five.
func (p *paths) executed(file string, process, depth int) {
	const maxDepth = 5
	name := interpreter(file)
	if name == "" || depth > maxDepth {
		return
	}

	outside, file := p.leave(p.absolute(name, process, "cwd"), process)
	if outside == p.covered && outside != "" {
		return
	}

	if outside != "" && !within(outside, changing) {
		p.record(outside, opens)
	}

	p.executed(file, process, depth+1)
}

// interpreter returns the program that a file names at its start, or "". It opens no devices, and does not wait.
func interpreter(file string) string {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}

	f := os.NewFile(uintptr(fd), file)
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return ""
	}

	name, _ := subprocess.Interpreter(f)
	return name
}

func (p *paths) record(path string, kind callKind) {
	if read := p.found[path]; read != nil {
		read.again(kind.opens(), kind == asks)
		return
	}

	if len(p.found) >= maxReads {
		p.lost = true
		return
	}

	read := Look(path, kind.opens(), kind == asks)
	p.found[path] = &read
}

// list returns the record, sorted by path.
func (p *paths) list() []Read {
	list := make([]Read, 0, len(p.found))
	for _, read := range p.found {
		list = append(list, *read)
	}

	slices.SortFunc(list, func(a, b Read) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// within reports whether a path is one of the directories or in one.
func within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool {
		return strings.HasPrefix(path, d) && (len(path) == len(d) || path[len(d)] == '/')
	})
}

// readMemory fills b from the memory of another process.
func readMemory(process int, at uintptr, b []byte) error {
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	remote := unix.RemoteIovec{Base: at, Len: len(b)}
	n, err := unix.ProcessVMReadv(process, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	if err == nil && n < len(b) {
		return unix.EFAULT
	}

	return err
}

// readText reads a text that ends with a zero byte from the memory of another process, as long as a path can be.
func readText(process int, at uintptr) (string, error) {
	var buffer [unix.PathMax]byte
	read := 0
	for read < len(buffer) {
		// A page that follows may not exist.
		const page = 4096
		size := min(len(buffer)-read, page-int((at+uintptr(read))%page))
		if err := readMemory(process, at+uintptr(read), buffer[read:read+size]); err != nil {
			return "", err
		}

		if end := bytes.IndexByte(buffer[read:read+size], 0); end >= 0 {
			return string(buffer[:read+end]), nil
		}

		read += size
	}

	return "", unix.ENAMETOOLONG
}
