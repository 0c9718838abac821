package refreshcorpus

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// Missing is a server that lacks tools, and the reason.
type Missing struct {
	Server string `json:"server"`
	Reason string `json:"reason"`
}

// shrunken lists the servers that failed, and the servers of the previous corpus
// that list fewer tools or are no longer queried. A corpus that silently loses
// tools makes every search look better.
func shrunken(found *listing, previous *contracts.Corpus) []Missing {
	missing := []Missing{}
	for server, reason := range found.failed {
		missing = append(missing, Missing{server, "it could not be read: " + safetext.Visible(reason)})
	}

	if previous != nil {
		before := map[string][]string{}
		for _, t := range previous.Tools {
			before[t.Server] = append(before[t.Server], t.Tool)
		}

		for server, tools := range before {
			if found.failed[server] != "" {
				continue
			}

			now := map[string]bool{}
			for _, t := range found.tools[server] {
				now[t.Name] = true
			}

			gone := slices.DeleteFunc(slices.Sorted(slices.Values(tools)), func(name string) bool { return now[name] })
			switch {
			case !found.asked[server]:
				missing = append(missing,
					Missing{server, fmt.Sprintf("the previous corpus has %d tools of it, but the upstreams do not "+
						"name it", len(tools))})
			case len(now) < len(tools):
				missing = append(missing,
					Missing{server, fmt.Sprintf("it lists %d tools, but the previous corpus has %d; missing: %s",
						len(now), len(tools), safetext.Visible(strings.Join(gone, ", ")))})
			}
		}
	}

	slices.SortFunc(missing, func(a, b Missing) int { return strings.Compare(a.Server, b.Server) })
	return missing
}

// ShrunkenError reports that the corpus would lose tools without permission.
type ShrunkenError struct{ Missing []Missing }

func (e *ShrunkenError) Error() string {
	lines := []string{"the corpus would lose tools, so nothing was written:"}
	names := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		names[i] = m.Server
		lines = append(lines, fmt.Sprintf("  %s: %s", m.Server, m.Reason))
	}
	return strings.Join(append(lines,
		fmt.Sprintf("check that these servers work; if the loss is intended, use --allow-missing=%s",
			strings.Join(names, ","))), "\n")
}

// refuse applies --allow-missing. A name with nothing missing is an error,
// because it would hide the next failure.
func refuse(missing []Missing, o Options) error {
	if o.AnyMissing {
		return nil
	}

	allowed := map[string]bool{}
	for _, name := range o.AllowMissing {
		allowed[name] = true
	}

	var left []Missing
	for _, m := range missing {
		if !allowed[m.Server] {
			left = append(left, m)
		}

		delete(allowed, m.Server)
	}

	if len(left) > 0 {
		return &ShrunkenError{left}
	}

	if len(allowed) > 0 {
		return &usageError{fmt.Sprintf("--allow-missing names %s, but nothing of it is missing; leave it out",
			strings.Join(slices.Sorted(maps.Keys(allowed)), ", "))}
	}

	return nil
}

var numbered = lazyregexp.New(`^v([0-9]{1,9})$`)

// number returns the n of a version vn; ok is false for any other version.
func number(version string) (n int, ok bool) {
	m := numbered().FindStringSubmatch(version)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// nextVersion returns the version that follows that of previous, or v1 if
// previous is nil.
func nextVersion(previous *contracts.Corpus) (string, error) {
	if previous == nil {
		return "v1", nil
	}
	n, ok := number(previous.Version)
	if !ok {
		return "", &usageError{fmt.Sprintf("cannot derive a version that follows version %q; give one with --version",
			previous.Version)}
	}
	return fmt.Sprintf("v%d", n+1), nil
}
