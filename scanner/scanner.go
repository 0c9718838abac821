package scanner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/check"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Scanner holds the selected checks and a baseline. Several goroutines may use
// it at once.
type Scanner struct {
	checks   []check.Check
	extra    []Check // run after the built-in checks
	baseline map[tool.Key]*tool.Definition
	decoders decode.Set // that the scanner does without
}

// Option configures a Scanner.
type Option func(*config) error

type config struct {
	only, without map[string]bool
	baseline      []Tool
	extra         []Check
	decoders      decode.Set
}

// WithChecks runs only the built-in checks with these ids.
func WithChecks(ids ...string) Option {
	return func(c *config) error { return addIDs(&c.only, ids) }
}

// WithoutChecks disables these built-in checks.
func WithoutChecks(ids ...string) Option {
	return func(c *config) error { return addIDs(&c.without, ids) }
}

// WithBaseline sets the approved versions of tools. The rug pull check compares
// each tool with the approved tool of the same server and name.
func WithBaseline(approved []Tool) Option {
	return func(c *config) error {
		c.baseline = append(c.baseline, approved...)
		return nil
	}
}

// WithCheck adds a custom check, which runs after the built-in ones. Its id must
// be no built-in one and no other custom one.
func WithCheck(check Check) Option {
	return func(c *config) error {
		if check == nil || check.ID() == "" {
			return errors.New("a custom check has no id: give it one, such as \"name.long\"")
		}
		c.extra = append(c.extra, check)
		return nil
	}
}

// WithoutDecoder takes a decoder away, to measure what it is worth. It is for the
// program in the directory training. The option fails for an unknown name.
func WithoutDecoder(name string) Option {
	return func(c *config) error {
		decoder := decode.Named(name)
		if decoder == 0 {
			return fmt.Errorf("decoder %q is unknown: use one of %v", name, decode.Families())
		}
		c.decoders |= decoder
		return nil
	}
}

func addIDs(set *map[string]bool, ids []string) error {
	if *set == nil {
		*set = map[string]bool{}
	}
	for _, id := range ids {
		known := slices.ContainsFunc(check.All(), func(r check.Check) bool { return r.Info.ID == id })
		if !known {
			return fmt.Errorf("check %q is unknown: use one of %v", id, builtinIDs())
		}
		(*set)[id] = true
	}
	return nil
}

func builtinIDs() []string {
	var ids []string
	for _, c := range check.All() {
		ids = append(ids, c.Info.ID)
	}
	return ids
}

// New returns a Scanner with every built-in check, unless options change that.
// It returns an error for an unknown check id, for two checks with one id, and
// if no check is left.
func New(opts ...Option) (*Scanner, error) {
	var c config
	for _, opt := range opts {
		if err := opt(&c); err != nil {
			return nil, fmt.Errorf("scanner: %w", err)
		}
	}

	s := &Scanner{baseline: map[tool.Key]*tool.Definition{}, decoders: c.decoders}
	for _, r := range check.All() {
		if (c.only == nil || c.only[r.Info.ID]) && !c.without[r.Info.ID] {
			s.checks = append(s.checks, r)
		}
	}

	for _, check := range c.extra {
		if slices.Contains(s.checkIDs(), check.ID()) || slices.Contains(builtinIDs(), check.ID()) {
			return nil, fmt.Errorf("scanner: two checks have the id %q: rename one", check.ID())
		}

		s.extra = append(s.extra, check)
	}

	if len(s.checks)+len(s.extra) == 0 {
		return nil, fmt.Errorf("scanner: no check is left to run: enable at least one of %v", builtinIDs())
	}

	for i := range c.baseline {
		t := c.baseline[i]
		s.baseline[(*tool.Definition)(&t).Key()] = (*tool.Definition)(&t)
	}

	return s, nil
}

// checkIDs lists the ids of the scanner's checks in the order in which they run.
func (s *Scanner) checkIDs() []string {
	ids := make([]string, 0, len(s.checks)+len(s.extra))
	for _, c := range s.checks {
		ids = append(ids, c.Info.ID)
	}
	for _, c := range s.extra {
		ids = append(ids, c.ID())
	}
	return ids
}
