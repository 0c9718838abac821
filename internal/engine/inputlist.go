package engine

import (
	"bytes"
	"encoding/binary"
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

// decodeMembers is the inverse of encodeMembers, for one member after the other. It returns false for anything else.
// The bytes of a path are those of b.
func decodeMembers(b []byte, each func(path []byte, kind memberKind, digest cache.Digest)) (ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(listMagic))
	for ok && len(b) > 0 {
		if len(b) < 8 {
			return false
		}

		length := binary.BigEndian.Uint64(b)
		b = b[8:]
		var digest cache.Digest
		if rest := uint64(1 + len(digest)); uint64(len(b)) < rest || length > uint64(len(b))-rest {
			return false
		}

		path, rest := b[:length], b[length+1:]
		copy(digest[:], rest)
		each(path, memberKind(b[length]), digest)
		b = rest[len(digest):]
	}
	return ok
}

// unlikeList returns the members that a list has and those that now has, without nearly all that are equal in both: an
// input may have a hundred thousand members of which one was edited.
func unlikeList(list []byte, now []member) (earlier, rest []member, ok bool) {
	ok = decodeMembers(list, func(path []byte, kind memberKind, digest cache.Digest) {
		for len(now) > 0 && now[0].path < string(path) {
			rest, now = append(rest, now[0]), now[1:]
		}

		if len(now) > 0 && now[0].path == string(path) && now[0].kind == kind && now[0].digest == digest {
			now = now[1:]
			return
		}

		earlier = append(earlier, member{string(path), kind, digest})
	})
	return earlier, append(rest, now...), ok
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

// trees returns the entries of the members that are directories that stages wrote, by the paths of the members.
func (r *run) trees(members []member) (map[string][]cache.TreeEntry, error) {
	trees := map[string][]cache.TreeEntry{}
	for _, m := range members {
		if m.kind == directory {
			tree, err := r.Store.Tree(m.digest)
			if err != nil {
				return nil, err
			}
			trees[m.path] = tree
		}
	}
	return trees, nil
}

// expand returns the entries of an input by their names for users, with those of its directories.
func expand(members []member, trees map[string][]cache.TreeEntry, name func(member) string) map[string]listed {
	entries := map[string]listed{}
	for _, m := range members {
		if m.kind != directory {
			entries[name(m)] = listed{kind: byte(m.kind), digest: m.digest}
			continue
		}

		for _, e := range trees[m.path] {
			entry := listed{kind: byte(fileKind(e.Mode)), digest: e.Digest, link: e.Symlink}
			if e.Mode&fs.ModeSymlink != 0 || e.Mode.IsDir() {
				entry.kind = byte(directory) // neither has a content of its own
			}

			entries[path.Join(name(m), safetext.Path(e.Path))] = entry
		}
	}
	return entries
}

// unlike removes from the entries of two directories, in place, what both have.
func unlike(a, b []cache.TreeEntry) (onlyA, onlyB []cache.TreeEntry) {
	onlyA, onlyB = a[:0], b[:0]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0].Path <= b[0].Path:
			onlyA, a = append(onlyA, a[0]), a[1:]
		default:
			onlyB, b = append(onlyB, b[0]), b[1:]
		}
	}
	return append(onlyA, a...), append(onlyB, b...)
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
	earlier, now, ok := unlikeList(list, now)
	if err != nil || !ok {
		return []string{"the list of its earlier entries is not in the cache, so the changes cannot be shown"}
	}

	was, err := r.trees(earlier)
	if err != nil {
		return []string{"its earlier entries are no longer in the cache, so the changes cannot be shown"}
	}

	is, err := r.trees(now)
	if err != nil {
		return []string{"its entries are no longer in the cache, so the changes cannot be shown"}
	}

	for p := range was {
		was[p], is[p] = unlike(was[p], is[p])
	}

	name := r.entryName(input)
	return limitLines(diffEntries(expand(earlier, was, name), expand(now, is, name)))
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

	if list, _, ok := unlikeList(content, nil); ok && len(list) == 1 {
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
