package engine

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/cache"
)

// FuzzUnlike checks that what is left of two versions of an input differs in the same entries as the whole versions.
func FuzzUnlike(f *testing.F) {
	f.Add("a1 b2 c3", "a1 b3 d4")
	f.Add("b2 a1", "a1 b2 c3")
	f.Add("", "a1")
	f.Add("a1 b2", "")
	f.Add("c1 a2 b3", "b3 a4 c1")
	f.Fuzz(func(t *testing.T, before, after string) {
		was, is := membersOf(before), membersOf(after)
		want := diffEntries(expand(was, nil, memberPath), expand(is, nil, memberPath))

		earlier, now, ok := unlikeList(encodeMembers(was), slices.Clone(is))
		if !ok {
			t.Fatalf("the list of %q was refused", before)
		}
		got := diffEntries(expand(earlier, nil, memberPath), expand(now, nil, memberPath))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("members %q and %q: %s", before, after, diff)
		}

		old, entries := entriesOf(was), entriesOf(is)
		whole := map[string][]cache.TreeEntry{"old": slices.Clone(old), "now": slices.Clone(entries)}
		left := map[string][]cache.TreeEntry{}
		left["old"], left["now"] = unlike(old, entries)
		if diff := cmp.Diff(diffTrees(whole), diffTrees(left)); diff != "" {
			t.Errorf("directories %q and %q: %s", before, after, diff)
		}
	})
}

// Of a large input with one edit, only that is kept.
func TestEqualMembersAreLeftOut(t *testing.T) {
	was, is := membersOf("a1 b2 c3 d4"), membersOf("a1 b9 c3 d4")
	earlier, now, _ := unlikeList(encodeMembers(was), is)
	if len(earlier) != 1 || len(now) != 1 {
		t.Errorf("%v and %v are left", earlier, now)
	}
}

func memberPath(m member) string { return m.path }

// membersOf returns members with different paths, each with the first byte of a word as its path and the rest as its
// content.
func membersOf(text string) []member {
	var members []member
	for _, word := range strings.Fields(text) {
		m := member{path: word[:1]}
		copy(m.digest[:], word[1:])
		if !slices.ContainsFunc(members, func(o member) bool { return o.path == m.path }) {
			members = append(members, m)
		}
	}
	return members
}

// entriesOf returns the members as entries of a directory, which are sorted.
func entriesOf(members []member) []cache.TreeEntry {
	var entries []cache.TreeEntry
	for _, m := range members {
		entries = append(entries, cache.TreeEntry{Path: m.path, Mode: fs.FileMode(0o644), Digest: m.digest})
	}
	slices.SortFunc(entries, func(a, b cache.TreeEntry) int { return strings.Compare(a.Path, b.Path) })
	return entries
}

func diffTrees(versions map[string][]cache.TreeEntry) []string {
	dir := []member{{path: "", kind: directory}}
	of := func(name string) map[string]listed {
		return expand(dir, map[string][]cache.TreeEntry{"": versions[name]}, func(m member) string { return path.Clean(m.path) })
	}
	return diffEntries(of("old"), of("now"))
}
