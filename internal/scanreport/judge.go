package scanreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/safetext"
	"github.com/touchstone-eval/touchstone/internal/toollist"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Options select how tools are judged. The zero value runs every check.
type Options struct {
	Checks, Skip []string // ids of checks to run, and of checks to skip
	// Baseline holds the approved tools. nil means that there is no baseline,
	// which differs from an empty one.
	Baseline     []scanner.Tool
	Suppressions []Suppression
	Today        string // as 2006-01-02; decides which suppressions have expired
}

// Finding is a tool with signals that are not suppressed, and every place where
// it was read.
type Finding struct {
	scanner.Finding
	Places []toollist.Place
}

// Suppressed is a signal that a suppression removed from its finding.
type Suppressed struct {
	Server, Tool string
	Signal       scanner.Signal
	Reason       string
	Expires      string
	Places       []toollist.Place
}

// Incomplete is a tool on which some checks failed.
type Incomplete struct {
	Server string   `json:"server"`
	Tool   string   `json:"tool"`
	Checks []string `json:"failed_checks"`
}

// Result is the result of a scan. Findings are ordered by severity, the worst
// first, then by server and tool.
type Result struct {
	Findings   []Finding
	Suppressed []Suppressed
	Incomplete []Incomplete
	Unscanned  []toollist.Unscanned
	PassedOver []toollist.PassedOver
	Servers    []ServerCount
	Coverage   scanner.Coverage
	Checks     []scanner.CheckInfo // those that ran
	Drift      *Drift              // nil without a baseline
	RiskScore  int
	// Expired and Unused are suppressions without effect.
	Expired, Unused []Suppression
}

// ServerCount is a server whose tools were scanned.
type ServerCount struct {
	Server string `json:"server"`
	Tools  int    `json:"tools"`
}

// Complete reports whether everything that should be scanned was scanned.
func (r *Result) Complete() bool { return len(r.Unscanned) == 0 && len(r.Incomplete) == 0 }

var severityRank = map[scanner.Severity]int{
	scanner.SeverityNone: 0, scanner.SeverityLow: 1, scanner.SeverityMedium: 2,
	scanner.SeverityHigh: 3, scanner.SeverityCritical: 4,
}

// AtLeast counts the findings of severity s or worse. For SeverityNone it
// returns 0: that severity means never to fail.
func (r *Result) AtLeast(s scanner.Severity) int {
	n := 0
	for _, f := range r.Findings {
		if s != scanner.SeverityNone && severityRank[f.Severity] >= severityRank[s] {
			n++
		}
	}
	return n
}

// Judge scans all tools of in together.
func Judge(in *toollist.Input, opts Options) (*Result, error) {
	var options []scanner.Option
	if opts.Checks != nil {
		options = append(options, scanner.WithChecks(opts.Checks...))
	}
	if opts.Skip != nil {
		options = append(options, scanner.WithoutChecks(opts.Skip...))
	}
	if opts.Baseline != nil {
		options = append(options, scanner.WithBaseline(opts.Baseline))
	}
	s, err := scanner.New(options...)
	if err != nil {
		return nil, err
	}
	tools, places := distinct(in.Tools)
	report := s.Scan(tools)
	r := &Result{
		Unscanned:  slices.Clone(in.Unscanned),
		PassedOver: in.PassedOver,
		Servers:    countServers(tools),
		Coverage:   report.Coverage,
		Checks:     ran(opts),
	}
	for _, f := range report.Findings {
		if len(f.FailedChecks) > 0 {
			r.Incomplete = append(r.Incomplete, Incomplete{f.Server, f.Tool, f.FailedChecks})
		}
	}
	r.suppress(report, opts, places)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(severityRank[b.Severity], severityRank[a.Severity]),
			strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool),
		)
	})
	if opts.Baseline != nil {
		r.Drift = drift(tools, opts.Baseline)
	}
	return r, nil
}

// ran lists the checks that a scan with these options runs.
func ran(opts Options) []scanner.CheckInfo {
	var infos []scanner.CheckInfo
	for _, c := range scanner.Checks() {
		if (opts.Checks == nil || slices.Contains(opts.Checks, c.ID)) && !slices.Contains(opts.Skip, c.ID) {
			infos = append(infos, c)
		}
	}
	return infos
}

// toolName names a tool within its server.
type toolName struct{ server, tool string }

// distinct drops tools that were read twice with the same definition, and
// collects the places of each name.
func distinct(all []toollist.Tool) ([]scanner.Tool, map[toolName][]toollist.Place) {
	tools := make([]scanner.Tool, 0, len(all))
	places := make(map[toolName][]toollist.Place, len(all))
	seen := make(map[string]bool, len(all))
	for _, t := range all {
		key := toolName{t.Server, t.Name}
		if list := places[key]; len(list) == 0 || list[len(list)-1] != t.Place {
			places[key] = append(list, t.Place)
		}
		if words := toollist.Content(&t.Tool); !seen[words] {
			seen[words] = true
			tools = append(tools, t.Tool)
		}
	}
	return tools, places
}

func countServers(tools []scanner.Tool) []ServerCount {
	counts := map[string]int{}
	for _, t := range tools {
		counts[t.Server]++
	}
	list := make([]ServerCount, 0, len(counts))
	for server, n := range counts {
		list = append(list, ServerCount{server, n})
	}
	slices.SortFunc(list, func(a, b ServerCount) int { return cmp.Compare(a.Server, b.Server) })
	return list
}

// CheckIDs lists the ids of all checks.
func CheckIDs() []string {
	var ids []string
	for _, c := range scanner.Checks() {
		ids = append(ids, c.ID)
	}
	return ids
}

// KnownCheck returns an error if no check has the id. The error suggests the
// closest id.
func KnownCheck(id string) error {
	ids := CheckIDs()
	if slices.Contains(ids, id) {
		return nil
	}
	if near := nearest(id, ids); near != "" {
		return fmt.Errorf("there is no check %q; did you mean %q?", safetext.Visible(id), near)
	}
	return fmt.Errorf("there is no check %q: use one of %s", safetext.Visible(id), strings.Join(ids, ", "))
}
