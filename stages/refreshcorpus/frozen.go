package refreshcorpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// freeze returns the digests of a corpus.
func freeze(c *contracts.Corpus) (*contracts.FrozenTools, error) {
	f := &contracts.FrozenTools{Version: c.Version}
	at := map[string]int{}
	for _, s := range c.Servers {
		at[s.Server] = len(f.Servers)
		f.Servers = append(f.Servers, contracts.FrozenServer{
			Server: s.Server, Version: s.Version, Tools: map[string]string{},
		})
	}

	all := map[contracts.ToolID]string{}
	for i := range c.Tools {
		t := &c.Tools[i]
		digest, err := contracts.DigestOfTool(t)
		if err != nil {
			return nil, err
		}

		all[t.ToolID] = digest
		f.Servers[at[t.Server]].Tools[t.Tool] = digest
	}

	f.SHA256 = contracts.DigestOfTools(all)
	return f, nil
}

// checkFrozen refuses digests that do not agree with their own digest, or that are of other
// servers than the upstreams.
func checkFrozen(f *contracts.FrozenTools, u *upstreams) error {
	all := map[contracts.ToolID]string{}
	versions := map[string]string{}
	for _, s := range f.Servers {
		versions[s.Server] = s.Version
		for tool, digest := range s.Tools {
			all[s.Server+":"+tool] = digest
		}
	}

	if sum := contracts.DigestOfTools(all); sum != f.SHA256 {
		return &usageError{fmt.Sprintf("the digests of the tools have the digest %s and not %s, so they were edited; "+
			"restore the file from version control, or make it again with --pin", sum, f.SHA256)}
	}

	for i := range u.Upstreams {
		up := &u.Upstreams[i]
		version, ok := versions[up.Name]
		if !ok || version != up.Version {
			return &usageError{fmt.Sprintf("upstream %q has version %s, and the digests are of version %q; make the "+
				"digests again with --pin", up.Name, up.Version, version)}
		}

		delete(versions, up.Name)
	}

	if len(versions) > 0 {
		return &usageError{fmt.Sprintf("the digests are also of %s, which the upstreams do not name; make the digests "+
			"again with --pin", strings.Join(slices.Sorted(maps.Keys(versions)), ", "))}
	}

	return nil
}

// verify compares a corpus with the digests. It returns the tools that are as they were, and
// the servers of which that is not so, with the difference. failed has the reasons of servers
// that could not be read.
func verify(c *contracts.Corpus, f *contracts.FrozenTools, failed map[string]string) (same []contracts.Tool,
	differs []Missing, err error) {
	now := map[string]map[string]string{}
	for i := range c.Tools {
		t := &c.Tools[i]
		digest, err := contracts.DigestOfTool(t)
		if err != nil {
			return nil, nil, err
		}

		if now[t.Server] == nil {
			now[t.Server] = map[string]string{}
		}

		now[t.Server][t.Tool] = digest
	}

	frozen := map[contracts.ToolID]string{}
	for _, s := range f.Servers {
		if reason := failed[s.Server]; reason != "" {
			differs = append(differs, Missing{s.Server, "it could not be read: " + safetext.Visible(reason)})
			continue
		}

		for tool, digest := range s.Tools {
			if now[s.Server][tool] == digest {
				frozen[s.Server+":"+tool] = digest
			}
		}

		if reason := difference(s.Tools, now[s.Server]); reason != "" {
			differs = append(differs, Missing{s.Server, reason})
		}
	}

	for _, t := range c.Tools {
		if frozen[t.ToolID] != "" {
			same = append(same, t)
		}
	}

	return same, differs, nil
}

// difference says how the tools of a server differ from the frozen ones.
func difference(frozen, now map[string]string) string {
	var gone, changed, more []string
	for _, tool := range slices.Sorted(maps.Keys(frozen)) {
		switch digest, ok := now[tool]; {
		case !ok:
			gone = append(gone, tool)
		case digest != frozen[tool]:
			changed = append(changed, tool)
		}
	}

	for _, tool := range slices.Sorted(maps.Keys(now)) {
		if frozen[tool] == "" {
			more = append(more, tool)
		}
	}

	var all []string
	for _, part := range []struct {
		what  string
		tools []string
	}{{"gone", gone}, {"changed", changed}, {"not frozen", more}} {
		if len(part.tools) > 0 {
			all = append(all, part.what+": "+safetext.Visible(strings.Join(part.tools, ", ")))
		}
	}

	return strings.Join(all, "; ")
}
