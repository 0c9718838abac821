package refreshcorpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// listing holds the answers of the servers.
type listing struct {
	asked    map[string]bool
	tools    map[string][]input.Tool // by server
	reported map[string]input.Listed
	failed   map[string]string // reason, by server
}

// list requests the tools of every server, within the timeout of its block, and checks the
// versions that the servers report. It stops everything that it started.
func list(ctx context.Context, u *upstreams, servers []input.Server, locked locks, log io.Writer) (*listing, error) {
	found := &listing{map[string]bool{}, map[string][]input.Tool{}, map[string]input.Listed{}, map[string]string{}}
	input.Announce(log, servers)
	for _, s := range servers {
		found.asked[s.Name] = true
	}

	for patience := range timeoutsOf(u) {
		var together []input.Server
		for i, s := range servers {
			if u.Upstreams[i].timeout == patience {
				together = append(together, s)
			}
		}

		in, err := input.List(ctx, together, patience)
		if err != nil {
			return nil, err
		}

		for _, l := range in.Listed {
			found.reported[l.Server] = l
		}

		for _, t := range in.Tools {
			found.tools[t.Server] = append(found.tools[t.Server], t)
		}

		for _, missed := range in.Unscanned {
			reason := missed.Cause()
			if missed.Tool != "" {
				reason = fmt.Sprintf("its tool %s cannot be read: %s", safetext.Visible(missed.Tool), reason)
			}

			found.failed[missed.Server] = cmp.Or(found.failed[missed.Server], reason)
		}
	}

	for server, tools := range found.tools {
		slices.SortFunc(tools, func(a, b input.Tool) int { return strings.Compare(a.Name, b.Name) })
		for i := 1; i < len(tools); i++ {
			if tools[i].Name == tools[i-1].Name {
				found.failed[server] = fmt.Sprintf("it lists the tool %s twice", safetext.Visible(tools[i].Name))
			}
		}
	}

	for server := range found.failed {
		delete(found.tools, server) // do not use an incomplete list
	}

	return found, found.checkVersions(u, locked)
}

// timeoutsOf returns the distinct timeouts: servers with the same timeout are
// queried together.
func timeoutsOf(u *upstreams) map[time.Duration]bool {
	all := map[time.Duration]bool{}
	for i := range u.Upstreams {
		all[u.Upstreams[i].timeout] = true
	}
	return all
}

// checkVersions refuses a server without a lock file that reports a version
// other than the pinned one, because its tools may differ too.
func (l *listing) checkVersions(u *upstreams, locked locks) error {
	var wrong []error
	for i := range u.Upstreams {
		up := &u.Upstreams[i]
		said, ok := l.reported[up.Name]
		if lock := locked[up.Install]; !ok || l.failed[up.Name] != "" || lock != nil && lock.npm {
			continue
		}

		if said.Version != up.Version {
			wrong = append(wrong, fmt.Errorf("upstream %q is pinned to version %s but reports %s %s; start the "+
				"pinned version, or change version in the file",
				up.Name, up.Version, safetext.Visible(said.Name), safetext.Visible(said.Version)))
		}
	}

	return errors.Join(wrong...)
}
