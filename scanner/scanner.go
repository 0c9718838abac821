package scanner

import (
	"fmt"
	"slices"
)

// Scanner holds a choice of checks and a baseline. It is safe for use by
// several goroutines at once.
type Scanner struct {
	checks   []Check
	baseline map[toolKey]*Tool
}

// toolKey names a tool within its server.
type toolKey struct{ server, name string }

// Option sets up a Scanner.
type Option func(*config) error

type config struct {
	only, without map[string]bool
	baseline      []Tool
	extra         []Check
}

// WithChecks runs only the built-in checks of these ids.
func WithChecks(ids ...string) Option {
	return func(c *config) error { return addIDs(&c.only, ids) }
}

// WithoutChecks leaves these built-in checks out.
func WithoutChecks(ids ...string) Option {
	return func(c *config) error { return addIDs(&c.without, ids) }
}

// WithBaseline gives the tools as somebody approved them earlier; the rug pull
// check compares each tool with the one of the same server and name.
func WithBaseline(approved []Tool) Option {
	return func(c *config) error {
		c.baseline = append(c.baseline, approved...)
		return nil
	}
}

// WithCheck adds a check of the caller's own; it runs after the built-in ones.
func WithCheck(check Check) Option {
	return func(c *config) error {
		c.extra = append(c.extra, check)
		return nil
	}
}

func addIDs(set *map[string]bool, ids []string) error {
	if *set == nil {
		*set = map[string]bool{}
	}
	for _, id := range ids {
		known := slices.ContainsFunc(builtin(), func(r registered) bool { return r.info.ID == id })
		if !known {
			return fmt.Errorf("check %q is unknown: use one of %v", id, builtinIDs())
		}
		(*set)[id] = true
	}
	return nil
}

func builtinIDs() []string {
	var ids []string
	for _, c := range builtin() {
		ids = append(ids, c.info.ID)
	}
	return ids
}

// New makes a Scanner with every built-in check, unless options say
// otherwise. It fails on an unknown check id, on two checks of one id, and
// when no check is left.
func New(opts ...Option) (*Scanner, error) {
	var c config
	for _, opt := range opts {
		if err := opt(&c); err != nil {
			return nil, fmt.Errorf("scanner: %w", err)
		}
	}
	s := &Scanner{baseline: map[toolKey]*Tool{}}
	for _, r := range builtin() {
		if (c.only == nil || c.only[r.info.ID]) && !c.without[r.info.ID] {
			s.checks = append(s.checks, r)
		}
	}
	for _, check := range c.extra {
		if slices.ContainsFunc(s.checks, func(o Check) bool { return o.ID() == check.ID() }) {
			return nil, fmt.Errorf("scanner: two checks have the id %q: rename one", check.ID())
		}
		s.checks = append(s.checks, check)
	}
	if len(s.checks) == 0 {
		return nil, fmt.Errorf("scanner: no check is left to run: leave fewer out of %v", builtinIDs())
	}
	for i := range c.baseline {
		t := c.baseline[i]
		s.baseline[toolKey{t.Server, t.Name}] = &t
	}
	return s, nil
}
