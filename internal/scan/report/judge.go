package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Options select how tools are judged. The zero value runs every check.
type Options struct {
	Checks, Skip []string // ids of checks to run, and of checks to skip
	// Baseline holds what was approved. nil means that there is no baseline,
	// which differs from an empty one.
	Baseline     *Baseline
	Suppressions []Suppression
	Today        string // as 2006-01-02; decides which suppressions have expired
	List         bool   // list what was read
}

// Finding is a tool with signals that are not suppressed, and every place where
// it was read.
type Finding struct {
	scanner.Finding
	Places []input.Place

	definition *definition
}

// pointer returns the place of a signal in the definition, in the names of its file.
func (f *Finding) pointer(s *scanner.Signal) string {
	if f.definition == nil {
		return s.Pointer
	}
	return f.definition.Pointer(s.Pointer)
}

// placesOf returns the places of a signal: those of the finding, the first with the line of
// the text where that is known.
func (f *Finding) placesOf(s *scanner.Signal) []input.Place {
	if f.definition == nil || len(f.Places) == 0 || !strings.HasPrefix(s.Pointer, "/") {
		return f.Places
	}
	at := f.definition.At(s.Pointer)
	if at.Line == 0 || at.Line == f.Places[0].Line && at.File == f.Places[0].File {
		return f.Places
	}
	places := slices.Clone(f.Places)
	places[0] = at
	return places
}

// where says for people where a signal is in the definition, and on which line if that is
// not the line of the definition.
func (f *Finding) where(s *scanner.Signal) string {
	at := safetext.Clip(f.pointer(s), maxPointer)
	if places := f.placesOf(s); len(places) > 0 && places[0] != f.Places[0] {
		at = places[0].String() + ", " + at
	}
	return at
}

// Suppressed is a signal that a suppression removed from its finding.
type Suppressed struct {
	Server, Tool string
	Signal       scanner.Signal
	Reason       string
	Expires      string
	Places       []input.Place

	of *Finding
}

// Incomplete is a tool on which some checks failed, or of which a bound kept them
// from reading everything.
type Incomplete struct {
	Server string   `json:"server"`
	Tool   string   `json:"tool"`
	Checks []string `json:"failed_checks"`
	Unread []string `json:"unread"`
}

// reasons says what is missing.
func (i Incomplete) reasons() string {
	var list []string
	if len(i.Checks) > 0 {
		list = append(list, "these checks failed on it: "+strings.Join(i.Checks, ", "))
	}
	if len(i.Unread) > 0 {
		list = append(list, "not read: "+strings.Join(i.Unread, ", "))
	}
	return strings.Join(list, "; ")
}

// Result is the result of a scan. Findings are ordered by severity, the worst
// first, then by server and tool.
type Result struct {
	Findings   []Finding
	Suppressed []Suppressed
	Incomplete []Incomplete
	Unscanned  []input.Unscanned
	PassedOver []input.PassedOver
	Notes      []Note
	Servers    []ServerCount
	Coverage   scanner.Coverage
	Checks     []scanner.CheckInfo // those that ran
	Drift      *Drift              // nil without a baseline
	RiskScore  int
	// Read lists what was read, if Options.List asks for it.
	Read []Listed
	// Expired and Unused are suppressions without effect.
	Expired, Unused []Suppression
}

// ServerCount is a server, and how much of it was scanned.
type ServerCount struct {
	Server       string `json:"server"`
	Tools        int    `json:"tools"`
	Prompts      int    `json:"prompts"`
	Resources    int    `json:"resources"` // and resource templates
	Instructions bool   `json:"instructions"`
}

// Complete reports whether everything that should be scanned was scanned.
func (r *Result) Complete() bool { return len(r.Unscanned) == 0 && len(r.Incomplete) == 0 }

var severityRank = map[scanner.Severity]int{
	scanner.SeverityNone: 0, scanner.SeverityLow: 1, scanner.SeverityMedium: 2,
	scanner.SeverityHigh: 3, scanner.SeverityCritical: 4,
}

// AtLeast counts the tools with a finding, or a change since the baseline, of severity
// s or worse. For SeverityNone it returns 0: that severity means never to fail.
func (r *Result) AtLeast(s scanner.Severity) int {
	findings, changes := r.Reached(s)
	return findings + changes
}

// Reached counts the findings of severity s or worse, and the changes since the baseline
// of tools without such a finding. For SeverityNone both are 0.
func (r *Result) Reached(s scanner.Severity) (findings, changes int) {
	if s == scanner.SeverityNone {
		return 0, 0
	}

	reached := map[toolName]bool{}
	for _, f := range r.Findings {
		if severityRank[f.Severity] >= severityRank[s] {
			reached[toolName{f.Server, f.Label()}] = true
			findings++
		}
	}

	if r.Drift != nil {
		for _, c := range r.Drift.Changes {
			if severityRank[c.Severity] >= severityRank[s] && !reached[c.key] {
				reached[c.key] = true
				changes++
			}
		}
	}

	return findings, changes
}

// Judge scans all tools of in together.
func Judge(in *input.Input, opts Options) (*Result, error) {
	var options []scanner.Option
	if opts.Checks != nil {
		options = append(options, scanner.WithChecks(opts.Checks...))
	}

	if opts.Skip != nil {
		options = append(options, scanner.WithoutChecks(opts.Skip...))
	}

	if opts.Baseline != nil {
		options = append(options, scanner.WithBaseline(opts.Baseline.Tools))
	}

	s, err := scanner.New(options...)
	if err != nil {
		return nil, err
	}

	definitions := distinct(in.Tools, in.Others)
	tools := make([]*scanner.Tool, len(definitions))
	for i := range definitions {
		tools[i] = &definitions[i].Tool.Tool
	}

	report := s.ScanAll(tools)
	r := &Result{
		Unscanned:  slices.Clone(in.Unscanned),
		PassedOver: in.PassedOver,
		Notes:      notes(definitions),
		Servers:    countServers(tools),
		Coverage:   report.Coverage,
		Checks:     ran(opts),
	}
	if opts.List {
		r.Read = listed(definitions)
	}

	for _, f := range report.Findings {
		if len(f.FailedChecks)+len(f.Unread) > 0 {
			r.Incomplete = append(r.Incomplete,
				Incomplete{f.Server, f.Label(), orEmpty(f.FailedChecks), orEmpty(f.Unread)})
		}
	}

	r.suppress(report, opts, definitions)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(severityRank[b.Severity], severityRank[a.Severity]),
			strings.Compare(a.Server, b.Server), strings.Compare(a.Label(), b.Label()),
			comparePlaces(a.Places, b.Places),
		)
	})
	if opts.Baseline != nil {
		approved := pointersTo(opts.Baseline.Tools)
		if err := sameServers(tools, approved); err != nil && r.Complete() {
			return nil, err
		}

		r.Drift = drift(tools, approved)
		places := placesOf(definitions)
		for i := range r.Drift.Changes {
			c := &r.Drift.Changes[i]
			c.places = places[c.key]
		}

		r.raiseChanges()
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

// toolName names a tool within its server, by its label.
type toolName struct{ server, tool string }

func pointersTo(tools []scanner.Tool) []*scanner.Tool {
	list := make([]*scanner.Tool, len(tools))
	for i := range tools {
		list[i] = &tools[i]
	}
	return list
}

func countServers(tools []*scanner.Tool) []ServerCount {
	counts := map[string]*ServerCount{}
	for _, t := range tools {
		c := counts[t.Server]
		if c == nil {
			c = &ServerCount{Server: t.Server}
			counts[t.Server] = c
		}

		switch t.Subject {
		case scanner.SubjectTool:
			c.Tools++
		case scanner.SubjectPrompt:
			c.Prompts++
		case scanner.SubjectInstructions:
			c.Instructions = c.Instructions || t.Description != ""
		default:
			c.Resources++
		}
	}

	list := make([]ServerCount, 0, len(counts))
	for _, c := range counts {
		list = append(list, *c)
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
	if slices.Contains(scanner.Tripwires(), id) {
		return fmt.Errorf("%q is a tripwire of the check tripwire.known, and only whole checks are chosen: name "+
			"that check", id)
	}
	return Unknown("check", id, ids)
}

// maxListed is the number of ids that an error lists.
const maxListed = 20

// Unknown returns the error for an unknown id of a kind of things. It suggests the
// closest id, or lists all if they are few.
func Unknown(kind, id string, ids []string) error {
	if near := nearest(strings.ToLower(id), ids); near != "" {
		return fmt.Errorf("there is no %s %q; did you mean %q?", kind, safetext.Visible(id), near)
	}
	if len(ids) > maxListed {
		return fmt.Errorf("there is no %s %q: explain without an id lists them", kind, safetext.Visible(id))
	}
	return fmt.Errorf("there is no %s %q: use one of %s", kind, safetext.Visible(id), strings.Join(ids, ", "))
}
