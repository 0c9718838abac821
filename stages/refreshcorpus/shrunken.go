package refreshcorpus

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/safetext"
)

// Missing is a server whose tools are not all there, and why.
type Missing struct {
	Server string `json:"server"`
	Reason string `json:"reason"`
}

// shrunken lists the servers that failed, and those of the corpus before that
// list fewer tools than they did or are not asked any more. A corpus that
// loses tools unnoticed makes every search look better.
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
				missing = append(missing, Missing{server, fmt.Sprintf("the corpus before has %d tools of it, and the upstreams do not name it", len(tools))})
			case len(now) < len(tools):
				missing = append(missing, Missing{server, fmt.Sprintf("it lists %d tools and the corpus before has %d; gone: %s", len(now), len(tools), safetext.Visible(strings.Join(gone, ", ")))})
			}
		}
	}
	slices.SortFunc(missing, func(a, b Missing) int { return strings.Compare(a.Server, b.Server) })
	return missing
}

// ShrunkenError says that the corpus would lose tools that nobody allowed it
// to lose.
type ShrunkenError struct{ Missing []Missing }

func (e *ShrunkenError) Error() string {
	lines := []string{"the corpus would shrink, and nothing was written:"}
	names := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		names[i] = m.Server
		lines = append(lines, fmt.Sprintf("  %s: %s", m.Server, m.Reason))
	}
	return strings.Join(append(lines, fmt.Sprintf("see that these servers work; if it is meant to be so, say --allow-missing=%s", strings.Join(names, ","))), "\n")
}

// refuse applies what is allowed to be missing. A name of which nothing is
// missing is a mistake: it would hide the next failure.
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
		return &usageError{fmt.Sprintf("--allow-missing names %s, of which nothing is missing; leave it out", strings.Join(slices.Sorted(maps.Keys(allowed)), ", "))}
	}
	return nil
}

var numbered = regexp.MustCompile(`^v([0-9]{1,9})$`)

// number is the n of a version vn; ok is false for any other version.
func number(version string) (n int, ok bool) {
	m := numbered.FindStringSubmatch(version)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// nextVersion is the version after that of a dataset; v1 without one.
func nextVersion(previous *contracts.Corpus) (string, error) {
	if previous == nil {
		return "v1", nil
	}
	n, ok := number(previous.Version)
	if !ok {
		return "", &usageError{fmt.Sprintf("what comes after version %q is not known; name the new one with --version", previous.Version)}
	}
	return fmt.Sprintf("v%d", n+1), nil
}
