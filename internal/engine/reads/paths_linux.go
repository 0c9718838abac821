package reads

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// paths collects the paths that a stage reads.
type paths struct {
	own []string
	// covered is the path of a program whose own reads are not recorded, or empty.
	covered string
	opens   map[string]bool // by path, whether it was opened
	// inside are paths in the stage's own directories that lead to files there.
	inside map[string]bool
	lost   bool // the record is not complete
}

// maxInside limits the size of paths.inside. A stage may use more files of its own.
const maxInside = 50_000

func newPaths(own []string, covered string) paths {
	return paths{own: own, covered: covered, opens: map[string]bool{}, inside: map[string]bool{}}
}

// changing are directories of the kernel, whose files say what the machine does at the moment.
var changing = []string{"/proc", "/sys", "/dev", "/run"}

// called records a call.
func (p *paths) called(n *notice) {
	at := slices.IndexFunc(calls, func(c call) bool { return c.number == n.number })
	if n.arch != architecture || at < 0 {
		p.lost = true // a program with 32 bits
		return
	}

	c := calls[at]
	// What a covered program executes is another one, in most cases.
	if p.covered != "" && c.kind != executes && p.covered == programOf(n.thread) {
		return
	}

	if c.kind == leaves {
		p.lost = true
		return
	}

	path, err := readText(int(n.thread), uintptr(n.args[c.path]))
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		p.lost = true
	}

	if err != nil || path == "" {
		return // the call will fail too
	}

	if c.kind == links {
		if filepath.IsAbs(path) || strings.Contains(path, "..") {
			clear(p.inside) // a path that was inside before may lead elsewhere now
		}

		return
	}

	if n.number == unix.SYS_OPENAT2 && p.underRoot(n) {
		return
	}

	if !filepath.IsAbs(path) {
		dir := "cwd"
		if c.dir != none && int32(n.args[c.dir]) != unix.AT_FDCWD {
			dir = fmt.Sprintf("fd/%d", int32(n.args[c.dir]))
		}

		base, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", n.thread, dir))
		if err != nil || !filepath.IsAbs(base) {
			return // the process has ended, or the file has no path
		}

		path = base + "/" + path
	}

	p.add(path, int(n.thread), c.kind)
}

// underRoot reports whether a call of openat2(2) begins absolute paths and links in a directory of its own. Where they
// lead is not known then.
func (p *paths) underRoot(n *notice) bool {
	var how unix.OpenHow
	b := unsafe.Slice((*byte)(unsafe.Pointer(&how)), unsafe.Sizeof(how))
	if size := int(min(n.args[3], uint64(len(b)))); readMemory(int(n.thread), uintptr(n.args[2]), b[:size]) != nil ||
		how.Resolve&unix.RESOLVE_IN_ROOT == 0 {
		return false
	}

	p.lost = true
	return true
}

func (p *paths) add(path string, thread int, kind callKind) {
	if opened, known := p.opens[path]; known && (opened || kind == asks) {
		return
	}

	if kind == executes && path == "/proc/self/exe" {
		path = programOf(uint32(thread))
	}

	if path == "" || path == p.covered || within(path, changing) {
		return
	}

	root := fmt.Sprintf("/proc/%d/root", thread)
	if within(path, p.own) {
		if p.inside[path] {
			return
		}

		target := resolved(root + path)
		if target == "" || within(target, p.own) {
			if target != "" {
				if len(p.inside) >= maxInside {
					clear(p.inside)
				}

				p.inside[path] = true
			}

			if kind == executes {
				p.interpreter(root + path)
			}

			return
		}

		path = target
	}

	switch kind {
	case executes:
		p.executed(path, root+path)
	default:
		p.record(path, kind == opens)
	}
}

// programOf returns the path of the program of a process, or "" if it has ended.
func programOf(thread uint32) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", thread)) // it is empty in that case
	return path
}

// executed records the execution of the program with the given path, which this process reads at file.
func (p *paths) executed(path, file string) {
	if path == p.covered {
		return
	}

	if !within(path, p.own) {
		if p.opens[path] {
			return
		}

		p.record(path, true)
	}

	p.interpreter(file)
}

// interpreter records what the kernel reads to execute a file: the program in the first line of a script, or the loader
// of a program.
func (p *paths) interpreter(file string) {
	f, err := os.Open(file)
	if err != nil {
		return
	}

	defer f.Close()
	head := make([]byte, 4096)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	var name string
	if line, script := bytes.CutPrefix(head, []byte("#!")); script {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		if words := strings.Fields(string(line)); len(words) > 0 {
			name = words[0]
		}
	} else {
		name = loader(head)
	}

	if filepath.IsAbs(name) && !p.opens[name] {
		p.executed(name, name)
	}
}

// loader returns the loader that an ELF file with 64 bits names at its start, or "" if it names none.
func loader(head []byte) string {
	le := binary.LittleEndian
	if len(head) < 64 || string(head[:5]) != "\x7fELF\x02" {
		return ""
	}

	at, size, count := le.Uint64(head[32:]), uint64(le.Uint16(head[54:])), uint64(le.Uint16(head[56:]))
	for range count {
		if at+size > uint64(len(head)) || at+size < at || size < 56 {
			return ""
		}

		segment := head[at : at+size]
		at += size
		const loaderSegment = 3
		if le.Uint32(segment) != loaderSegment {
			continue
		}

		offset, length := le.Uint64(segment[8:]), le.Uint64(segment[32:])
		if length == 0 || offset >= uint64(len(head)) || length > uint64(len(head))-offset {
			return ""
		}

		return strings.TrimRight(string(head[offset:offset+length]), "\x00")
	}

	return ""
}

func (p *paths) record(path string, opened bool) {
	before, known := p.opens[path]
	switch {
	case known && (before || !opened):
	case !known && len(p.opens) >= maxReads:
		p.lost = true
	default:
		p.opens[path] = opened
	}
}

// list returns the record, sorted by path.
func (p *paths) list() []Read {
	list := make([]Read, 0, len(p.opens))
	for path, opened := range p.opens {
		list = append(list, Read{Path: path, Opened: opened})
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

// resolved returns the path to which a path leads, or "" if there is no file. It is one that the process sees whose
// root the path begins with.
func resolved(path string) string {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}

	defer closeFiles(fd)
	target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return ""
	}

	return target
}

// readMemory fills b from the memory of another process.
func readMemory(thread int, at uintptr, b []byte) error {
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	remote := unix.RemoteIovec{Base: at, Len: len(b)}
	n, err := unix.ProcessVMReadv(thread, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	if err == nil && n < len(b) {
		return unix.EFAULT
	}
	return err
}

// readText reads a text that ends with a zero byte from the memory of another process, as long as a path can be.
func readText(thread int, at uintptr) (string, error) {
	var buffer [unix.PathMax]byte
	read := 0
	for read < len(buffer) {
		// A page that follows may not exist.
		const page = 4096
		size := min(len(buffer)-read, page-int((at+uintptr(read))%page))
		if err := readMemory(thread, at+uintptr(read), buffer[read:read+size]); err != nil {
			return "", err
		}

		if end := bytes.IndexByte(buffer[read:read+size], 0); end >= 0 {
			return string(buffer[:read+end]), nil
		}

		read += size
	}

	return "", unix.ENAMETOOLONG
}
