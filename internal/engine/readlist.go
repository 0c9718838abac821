package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// A command reads more than its inputs: its libraries, packages and other programs. Which of them it reads is known
// when it has run. Its record therefore has a list of what it read and what it found there, and is only a hit as long
// as the same is found: the list is a second part of the key.
//
// A list is text with one line for each path, sorted:
//
//	use "state" "path"
//
// The use says what the command could learn about the path, and the state is what there was to learn.

// Uses of a path.
const (
	useContent   = "read"     // the content of a file, the names in a directory
	useStatus    = "status"   // size and times of a file
	useAccess    = "access"   // whether there is a file, and its permissions
	useCompiled  = "compiled" // the content of compiled code of Python, unless Python checks it
	useShape     = "shape"    // type, size and permissions of a file that the sandbox denied
	useExistence = "exists"   // whether there is a file; the sandbox denied more
)

// maxStatusContent is the largest file that is compared by content if a command asked for its size and times only. An
// interpreter that finds compiled code asks for those of the source, which is rarely larger. Comparing the times of all
// files would make each checkout and machine differ.
const maxStatusContent = 16 << 20

// volatile are files of the system that the C library reads for any program, and that differ between machines without a
// difference for the program: its libraries are in the list.
var volatile = []string{
	"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/hosts", "/etc/hostname", "/etc/host.conf", "/etc/gai.conf",
	"/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/localtime", "/etc/machine-id",
	"/etc/mtab",
}

// temporary are the directories in which other programs make and remove files at any time. A stage cannot read these.
var temporary = []string{"/tmp/", "/var/tmp/"}

func isTemporary(path string) bool {
	return slices.ContainsFunc(temporary, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

// readLists compares lists of reads. The zero value is ready to use.
type readLists struct {
	mu    sync.Mutex
	known map[cache.Digest]func() string
}

// readState returns what a command can learn about a path. A path that leads over symbolic links has where it leads to
// in its state, because programs find other files from there.
func readState(index *cache.StatIndex, use, path string) string {
	if use == useCompiled {
		if isChecked(path) {
			return checked
		}

		use = useContent
	}

	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if target, err := os.Readlink(path); err == nil {
			return linkToNothing + strings.TrimPrefix(strconv.Quote(target), `"`)
		}

		return none
	}

	if err != nil {
		return unknown
	}

	state := kindOf(st.Mode())
	if use == useShape {
		if st.Mode().IsRegular() {
			state += fmt.Sprintf(":%d", st.Size())
		}

		return strconv.Quote(state + fmt.Sprintf(":%o", st.Mode().Perm()))
	}

	real, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil || use == useExistence:
		return strconv.Quote(state)
	case st.Mode().IsRegular() && use != useAccess:
		state += contentOf(index, use, real, st)
	case st.IsDir() && use == useContent:
		state += ":" + reads.NamesIn(path).Digest
	}

	if use == useStatus || use == useAccess {
		state += fmt.Sprintf(":%o", st.Mode().Perm())
	}

	if real != path {
		state += ":" + real
	}

	return strconv.Quote(state)
}

// States of a path that leads to no file.
const (
	none          = `"none"`
	unknown       = `"unknown"` // such as one of which a part is a file
	linkToNothing = `"link:`    // and the target
)

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case !mode.IsRegular():
		return "other"
	case fileKind(mode) == executable:
		return "program"
	}
	return "file"
}

// contentOf describes the content of a file without links in its path, or its size and times if it cannot be read, or
// if it is large and the command asked for no more.
func contentOf(index *cache.StatIndex, use, path string, st fs.FileInfo) string {
	if use == useContent || st.Size() <= maxStatusContent {
		if d, _, _, err := index.File(path); err == nil {
			return ":" + d.String()
		}
	}
	return fmt.Sprintf(":%d:%d", st.Size(), st.ModTime().UnixNano())
}

// encodeReads returns the list of what a command read. The error names a file that changed since the command first
// named it.
func encodeReads(index *cache.StatIndex, list []reads.Read) ([]byte, error) {
	var text bytes.Buffer
	read := make(map[string]bool, len(list))
	for _, r := range list {
		read[r.Path] = !r.Denied
	}

	for _, r := range list {
		use := useAccess
		switch {
		case slices.Contains(volatile, r.Path) || isUncompared(&r):
			continue
		case r.Denied && isTemporary(r.Path):
			continue
		case r.Denied && r.Asked:
			use = useShape
		case r.Denied:
			use = useExistence
		case reads.IsBytecode(r.Path) && read[moduleOf(r.Path)]:
			use = useCompiled
		case r.Opened:
			use = useContent
		case r.Asked:
			use = useStatus
		}

		state := readState(index, use, r.Path)
		if state != checked && !r.Unchanged() {
			return nil, fmt.Errorf("%s, which the command reads, changed during the run; run again",
				safetext.Path(r.Path))
		}

		fmt.Fprintf(&text, "%s %s %q\n", use, state, r.Path)
	}

	return text.Bytes(), nil
}

// keepReads adds to a record what the command read.
func (r *run) keepReads(o *Outcome, record *cache.Record, result *Result) error {
	record.Isolation = slices.Clone(record.Isolation)
	var err error
	switch {
	case r.isolationOff():
		if !o.tool.Complete {
			record.Isolation = append(record.Isolation, ReadsNotInKey)
		}

		record.Reads, err = r.Store.PutBytes(unisolatedReads)
		return err
	case o.tool.Complete && (!result.Recorded || len(result.Reads) == 0):
		return nil // it started no other program, or this system cannot tell
	case !result.Recorded:
		record.Isolation = append(record.Isolation, ReadsNotInKey)
		return nil
	}

	text, err := encodeReads(r.Index, result.Reads)
	if err != nil {
		return err
	}

	record.Isolation = append(record.Isolation, ReadsInKey)
	record.Reads, err = r.Store.PutBytes(text)
	return err
}

// Values of Record.Isolation: whether what a command read besides its inputs is recorded.
const (
	ReadsInKey    = "reads-in-key"
	ReadsNotInKey = "reads-not-in-key"
)

// A readEntry is one line of a list.
type readEntry struct{ use, state, path string }

// decodeReads reads a list.
func decodeReads(text []byte) ([]readEntry, error) {
	var list []readEntry
	for line := range bytes.Lines(text) {
		use, rest, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		state, _ := strconv.QuotedPrefix(rest)
		path, err := strconv.Unquote(strings.TrimPrefix(rest[len(state):], " "))
		if err != nil || !filepath.IsAbs(path) {
			return nil, fmt.Errorf("line %d of a list of reads is damaged", len(list)+1)
		}

		list = append(list, readEntry{use, state, path})
	}

	return list, nil
}

// maxNamedReads is the number of changed files that a reason names.
const maxNamedReads = 3

// changed returns the reason why a record with this list is not a hit, or "" if everything in the list is as the
// command found it. Many records have the same list, which is compared once.
func (l *readLists) changed(store *cache.Store, index *cache.StatIndex, list cache.Digest) string {
	if list.IsZero() {
		return ""
	}

	l.mu.Lock()
	compare, ok := l.known[list]
	if !ok {
		compare = sync.OnceValue(func() string { return compareReads(store, index, list) })
		if l.known == nil {
			l.known = map[cache.Digest]func() string{}
		}

		l.known[list] = compare
	}

	l.mu.Unlock()
	return compare()
}

func compareReads(store *cache.Store, index *cache.StatIndex, list cache.Digest) string {
	changes, err := changedReads(store, list, func(use, path string) string { return readState(index, use, path) })
	switch {
	case err != nil:
		return err.Error()
	case len(changes) == 0:
		return ""
	}

	var names []string
	for _, c := range changes[:min(maxNamedReads, len(changes))] {
		names = append(names, safetext.Path(c.Name)+" "+string(c.How))
	}

	reason := strings.Join(names, ", ") + ", which the command reads"
	if more := len(changes) - len(names); more > 0 {
		reason = fmt.Sprintf("%s, and %d more", reason, more)
	}

	return reason
}

// changedReads returns what differs between a list and the states that paths have now.
func changedReads(store *cache.Store, list cache.Digest, now func(use, path string) string) ([]SourceChange, error) {
	text, err := store.Bytes(list)
	if err != nil {
		return nil, fmt.Errorf("the list of what its command read cannot be used: %w", err)
	}

	entries, err := decodeReads(text)
	var changes []SourceChange
	for _, e := range entries {
		if state := now(e.use, e.path); state != e.state {
			changes = append(changes, SourceChange{e.path, becameOf(e.state, state)})
		}
	}

	return changes, err
}

// becameOf describes two states of one path.
func becameOf(before, now string) Became {
	switch {
	case before == none:
		return Added
	case now == none:
		return Removed
	}
	return Edited
}
