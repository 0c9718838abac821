package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// The digest of an input that is more than one plain file is the digest of its list: the paths, kinds and digests of
// its
// members. An executed stage keeps the list as a blob, so that explain can later name the entries that changed.

// listMagic begins every list of members.
const listMagic = "touchstone input 1\n"

// encodeMembers returns the list of members: the magic, then for each one the length of its path in 8 bytes, the path,
// a byte for its kind, and its digest.
func encodeMembers(members []member) []byte {
	b := make([]byte, 0, len(listMagic)+len(members)*64)
	b = append(b, listMagic...)
	for i := range members {
		m := &members[i]
		b = binary.BigEndian.AppendUint64(b, uint64(len(m.path)))
		b = append(b, m.path...)
		b = append(b, byte(m.kind))
		b = append(b, m.digest[:]...)
	}
	return b
}

// decodeMembers is the inverse of encodeMembers. ok is false for anything else.
func decodeMembers(b []byte) (members []member, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(listMagic))
	for ok && len(b) > 0 {
		if len(b) < 8 {
			return nil, false
		}

		length := binary.BigEndian.Uint64(b)
		b = b[8:]
		var m member
		if rest := uint64(1 + len(m.digest)); uint64(len(b)) < rest || length > uint64(len(b))-rest {
			return nil, false
		}

		m.path, b = string(b[:length]), b[length:]
		m.kind = memberKind(b[0])
		copy(m.digest[:], b[1:])
		b = b[1+len(m.digest):]
		members = append(members, m)
	}
	return members, ok
}

// keepList stores the list of an input's members, unless the input is one plain file.
func (r *run) keepList(input *pipeline.Input, members []member) error {
	if isPlain(input, members) {
		return nil
	}
	list := encodeMembers(members)
	if len(list) > keepInputLimit {
		return nil
	}
	_, err := r.Store.PutBytes(list)
	return err
}

// listed is an entry of an input for a comparison. link is the target of a symbolic link.
type listed struct {
	kind   byte
	digest cache.Digest
	link   string
}

// expand returns the entries of an input by their names for users, with those of the directories that stages wrote.
func (r *run) expand(members []member, name func(member) string) (map[string]listed, error) {
	entries := make(map[string]listed, len(members))
	for _, m := range members {
		if m.kind != directory {
			entries[name(m)] = listed{kind: byte(m.kind), digest: m.digest}
			continue
		}

		tree, err := r.Store.Tree(m.digest)
		if err != nil {
			return nil, err
		}

		for _, e := range tree {
			entry := listed{kind: byte(fileKind(e.Mode)), digest: e.Digest, link: e.Symlink}
			if e.Mode&fs.ModeSymlink != 0 || e.Mode.IsDir() {
				entry.kind = byte(directory) // neither has a content of its own
			}

			entries[path.Join(name(m), safetext.Path(e.Path))] = entry
		}
	}
	return entries, nil
}

// entryName returns the function that names a member of an input as the user knows it: a source file as the pipeline
// names it, and what a stage wrote below the name of the output.
func (r *run) entryName(input *pipeline.Input) func(member) string {
	before := ""
	if len(input.Files) > 0 {
		f := &input.Files[0]
		if prefix, ok := strings.CutSuffix(f.Label, f.Path); ok {
			before = prefix
		}
	}
	if before == "" && len(input.From) == 1 && !input.Tree {
		out, _ := r.outcomes[input.From[0].From.Instance].Output(input.From[0].From.Output)
		before = path.Base(out.Path)
	}
	return func(m member) string {
		if before == "" || strings.HasSuffix(before, "/") {
			return safetext.Path(before + m.path)
		}
		return safetext.Path(path.Join(before, m.path))
	}
}

// diffInput names the entries of an input that differ from those of an earlier version, which has the digest before:
// edited ones first, then new and then removed ones.
func (r *run) diffInput(input *pipeline.Input, before cache.Digest) []string {
	now, err := r.members(input)
	if err != nil {
		return []string{err.Error()}
	}

	list, err := r.Store.Bytes(before)
	earlier, ok := decodeMembers(list)
	if err != nil || !ok {
		return []string{"the list of its earlier entries is not in the cache, so the changes cannot be shown"}
	}

	name := r.entryName(input)
	old, err := r.expand(earlier, name)
	if err != nil {
		return []string{"its earlier entries are no longer in the cache, so the changes cannot be shown"}
	}

	entries, err := r.expand(now, name)
	if err != nil {
		return []string{"its entries are no longer in the cache, so the changes cannot be shown"}
	}

	lines := diffEntries(old, entries)
	if extra := len(lines) - diffLimit; extra > 0 {
		lines = append(lines[:diffLimit], fmt.Sprintf("and %d more", extra))
	}
	return lines
}

// tooLarge reports whether a version of an input that is one file is too large to be compared with another.
func (r *run) tooLarge(input *pipeline.Input, before cache.Digest) bool {
	if size, err := r.Store.Size(before); err == nil && size > keepInputLimit {
		return true
	}
	if len(input.Files) == 1 {
		st, err := os.Stat(input.Files[0].Source)
		return err == nil && st.Size() > keepInputLimit
	}
	out, _ := r.outcomes[input.From[0].From.Instance].Output(input.From[0].From.Output)
	return out.Size > keepInputLimit
}

// earlierFile returns the content of an input that was one file, and what it means for its mode if the content is still
// the same. The content of a large file is not kept.
func (r *run) earlierFile(before cache.Digest) (content []byte, mode string, err error) {
	content, err = r.Store.Bytes(before)
	if err != nil {
		return nil, "", err
	}

	if list, ok := decodeMembers(content); ok && len(list) == 1 {
		content, err = r.Store.Bytes(list[0].digest)
		return content, "no longer executable", err
	}
	return content, "now executable", nil
}

// diffEntries compares two versions of a directory.
func diffEntries(old, now map[string]listed) []string {
	var edited, added, removed []string
	for name, e := range now {
		o, ok := old[name]
		switch {
		case !ok:
			added = append(added, name+" added")
		case o == e:
		case o.digest == e.digest && o.link == e.link && e.kind == byte(executable):
			edited = append(edited, name+" is now executable")
		case o.digest == e.digest && o.link == e.link && e.kind == byte(plainFile):
			edited = append(edited, name+" is no longer executable")
		default:
			edited = append(edited, name+" edited")
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			removed = append(removed, name+" removed")
		}
	}

	slices.Sort(edited)
	slices.Sort(added)
	slices.Sort(removed)
	return slices.Concat(edited, added, removed)
}
