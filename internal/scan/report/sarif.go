package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// GitHub's limits for one SARIF file. Its limit on the size applies after
// compression. These apply before, so that other readers can read the file too.
const (
	sarifMaxBytes   = 10_000_000
	sarifMaxResults = 25_000
)

const informationURI = "https://github.com/touchstone-eval/touchstone"

// WriteSARIF writes the result as SARIF 2.1.0, with one result for each signal,
// the worst first. If there are more than code scanning accepts, it leaves out
// the rest and adds a notification with their number.
func (r *Result) WriteSARIF(w io.Writer) error {
	return r.writeSARIF(w, sarifMaxBytes, sarifMaxResults)
}

func (r *Result) writeSARIF(w io.Writer, maxBytes, maxResults int) error {
	results := r.sarifResults()
	kept := make([]*sarif.Result, 0, min(len(results), maxResults))
	// The size of everything but the results, including the notification.
	size, err := encodedSize(r.sarifReport(nil, len(results)))
	if err != nil {
		return err
	}

	for _, res := range results {
		n, err := encodedSize(res)
		if err != nil {
			return err
		}

		if len(kept) == maxResults || size+n+1 > maxBytes {
			break
		}

		size += n + 1
		kept = append(kept, res)
	}

	text, err := encodeSARIF(r.sarifReport(kept, len(results)-len(kept)))
	if err != nil {
		return err
	}

	_, err = w.Write(append(text, '\n'))
	return err
}

func encodedSize(v any) (int, error) {
	text, err := encodeSARIF(v)
	return len(text), err
}

// encodeSARIF encodes v without the members that repeat the defaults of SARIF.
// The library writes them everywhere, and they would be two thirds of the file.
func encodeSARIF(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(withoutDefaults(tree))
}

func withoutDefaults(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutDefaults(v[i])
		}
	case map[string]any:
		for name, m := range v {
			m = withoutDefaults(m)
			list, isList := m.([]any)
			if isList && len(list) == 0 && name != "results" || m == -1.0 {
				delete(v, name)
				continue
			}

			v[name] = m
		}
	}

	return v
}

func (r *Result) sarifReport(results []*sarif.Result, left int) *sarif.Report {
	report := sarif.NewReport()
	run := sarif.NewRunWithInformationURI("touchstone scan", informationURI)
	run.Tool.Driver.WithSemanticVersion(input.Version + ".0.0")
	for _, c := range r.Checks {
		run.Tool.Driver.AddRule(sarifRule(c))
	}

	if results != nil {
		run.Results = results
	}

	invocation := sarif.NewInvocation().WithExecutionSuccessful(r.Complete())
	for _, n := range r.notifications(left) {
		invocation.AddToolExecutionNotification(n)
	}

	run.AddInvocation(invocation)
	run.WithColumnKind("unicodeCodePoints")
	properties := sarif.NewPropertyBag().Add("riskScore", r.RiskScore).
		Add("toolsScanned", r.Coverage.ToolsScanned).Add("complete", r.Complete())
	if r.Read != nil {
		properties.Add("tools", r.Read)
	}

	run.WithProperties(properties)
	return report.AddRun(run)
}

func sarifRule(c scanner.CheckInfo) *sarif.ReportingDescriptor {
	severity, level := "5.0", sarif.LevelWarning
	if c.Tier == scanner.TierHard {
		severity, level = "8.5", sarif.LevelError
	}

	help := "Why: " + sentence(c.Why) + "\nWhat to do: " + sentence(c.Do)
	page := informationURI + "/blob/main/docs/scanner/" + c.ID + ".md"
	properties := sarif.NewPropertyBag().Add("security-severity", severity).Add("precision", precision(c.Tier))
	properties.WithTags([]string{"security", "mcp", string(c.ThreatType)})
	return sarif.NewReportingDescriptor().WithID(c.ID).WithName(ruleName(c.ID)).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(c.Description)).
		WithFullDescription(sarif.NewMultiformatMessageString().WithText(sentence(c.Description) + " " +
			sentence(c.Why))).
		WithHelp(sarif.NewMultiformatMessageString().WithText(help).WithMarkdown(strings.ReplaceAll(help, "\n",
			"\n\n") + "\n\n[What it detects, which innocent texts are similar, and how to suppress it](" + page + ")")).
		WithHelpURI(page).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level)).
		WithProperties(properties)
}

func precision(t scanner.Tier) string {
	if t == scanner.TierHard {
		return "very-high"
	}
	return "medium"
}

// ruleName turns "unicode.hidden" into "UnicodeHidden", as is usual in SARIF.
func ruleName(id string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == '.' || r == '_' || r == '-' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// sarifResults returns all results: those of the worst findings first and the
// suppressed ones, which matter least, last.
func (r *Result) sarifResults() []*sarif.Result {
	var results []*sarif.Result
	seen := map[string]int{}
	for _, f := range r.Findings {
		for _, s := range sortedSignals(f.Signals) {
			s, severity := r.withChange(&f, s)
			results = append(results, r.sarifResult(&f, f.Label(), s, severity, f.placesOf(&s), seen))
		}
	}

	results = append(results, r.sarifChanges(seen)...)
	for _, s := range r.Suppressed {
		res := r.sarifResult(s.of, s.Tool, s.Signal, scanner.SeverityNone, s.of.placesOf(&s.Signal), seen)
		justification := safetext.Visible(s.Reason)
		if s.Expires != "" {
			justification += " (until " + s.Expires + ")"
		}

		res.AddSuppression(sarif.NewSuppression().WithKind("external").WithStatus("accepted").
			WithJustification(justification))
		results = append(results, res)
	}

	return results
}

// sarifChanges returns a result for each change since the baseline that no signal tells.
func (r *Result) sarifChanges(seen map[string]int) []*sarif.Result {
	ran := slices.ContainsFunc(r.Checks, func(c scanner.CheckInfo) bool { return c.ID == changeCheck })
	if r.Drift == nil || !ran {
		return nil
	}

	told := map[toolName]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		told[toolName{f.Server, f.Label()}] = slices.Contains(f.CheckIDs(), changeCheck)
	}

	for _, s := range r.Suppressed {
		told[toolName{s.Server, s.Tool}] = told[toolName{s.Server, s.Tool}] || s.Signal.CheckID == changeCheck
	}

	var results []*sarif.Result
	for i := range r.Drift.Changes {
		c := &r.Drift.Changes[i]
		if !told[c.key] && len(c.places) > 0 { // code scanning shows nothing without a place
			s := scanner.Signal{CheckID: changeCheck, ThreatType: scanner.ThreatRugPull, Detail: c.text()}
			results = append(results,
				r.sarifResult(&Finding{Finding: scanner.Finding{Server: c.key.server}}, c.key.tool, s, c.Severity,
					c.places, seen))
		}
	}

	return results
}

// sortedSignals returns the signals of a finding, hard signals first.
func sortedSignals(signals []scanner.Signal) []scanner.Signal {
	signals = slices.Clone(signals)
	slices.SortStableFunc(signals, func(a, b scanner.Signal) int { return cmp.Compare(b.Tier, a.Tier) })
	return signals
}

func (r *Result) sarifResult(f *Finding, label string, s scanner.Signal, severity scanner.Severity,
	places []input.Place, seen map[string]int) *sarif.Result {
	text := fmt.Sprintf("%s of %s: %s.", safetext.Name(label), safetext.Name(f.Server), s.Detail)
	if s.Evidence != "" {
		text += " Evidence: " + marked(&s)
	}

	at := f.pointer(&s)
	if at != "" {
		text += " At " + safetext.Clip(at, maxPointer) + "."
	}

	if why, do := advice(f, &s); why != "" {
		text += " Why: " + why + " What to do: " + do
	}

	level := sarif.LevelNote
	switch {
	case s.Tier == scanner.TierHard, s.CheckID == changeCheck &&
		severityRank[severity] >= severityRank[scanner.SeverityHigh]:
		level = sarif.LevelError
	case severityRank[severity] >= severityRank[scanner.SeverityMedium]:
		level = sarif.LevelWarning
	}

	// The fingerprint includes the evidence, because a dismissed alert must
	// not hide another attack in the same tool. It does not include the place,
	// so moving a tool within its file changes nothing.
	hash := input.Fingerprint(s.CheckID, f.Server, label, s.Evidence)
	seen[hash]++
	primary := fmt.Sprintf("%s:%d", hash, seen[hash])
	res := sarif.NewRuleResult(s.CheckID).WithLevel(level).WithKind("fail").
		WithMessage(sarif.NewTextMessage(safetext.Visible(text))).
		WithRuleIndex(slices.IndexFunc(r.Checks, func(c scanner.CheckInfo) bool { return c.ID == s.CheckID })).
		WithFingerprints(map[string]string{"touchstoneScan/v1": primary}).
		WithPartialFingerprints(map[string]string{"primaryLocationLineHash": primary})
	for i, p := range places[:min(len(places), maxPlaces)] {
		location := sarif.NewLocation().WithPhysicalLocation(physical(p))
		if i > 0 {
			res.RelatedLocations = append(res.RelatedLocations, location.WithID(i))
			continue
		}

		location.LogicalLocations = append(location.LogicalLocations, sarif.NewLogicalLocation().
			WithName(safetext.Name(label)).WithFullyQualifiedName(safetext.Name(f.Server)+":"+
			safetext.Name(label)).WithKind("function"))
		res.Locations = append(res.Locations, location)
	}

	properties := sarif.NewPropertyBag().Add("tier", s.Tier.String()).
		Add("confidence", s.Confidence).Add("findingSeverity", string(severity)).Add("threatType", string(s.ThreatType))
	if at != "" {
		properties.Add("pointer", safetext.Visible(at))
	}

	if s.Pattern != "" {
		properties.Add("tripwire", s.Pattern)
	}

	res.WithProperties(properties)
	return res
}

func physical(p input.Place) *sarif.PhysicalLocation {
	region := sarif.NewRegion().WithStartLine(max(1, p.Line))
	if p.Column > 0 {
		region.WithStartColumn(p.Column)
	}
	return sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewArtifactLocation().WithURI(artifactURI(p.File))).
		WithRegion(region)
}

// artifactURI returns the URI of a file. The URI is relative if the path is:
// code scanning resolves it against the root of the repository. A source that is
// not a file, such as <stdin>, is represented by its name.
func artifactURI(file string) string {
	if name, ok := strings.CutPrefix(file, "<"); ok {
		return (&url.URL{Path: strings.TrimSuffix(name, ">")}).EscapedPath()
	}

	file = filepath.Clean(file)
	if filepath.IsAbs(file) {
		p := filepath.ToSlash(file)
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}

		return (&url.URL{Scheme: "file", Path: p}).String()
	}

	// A colon in the first segment would end a scheme.
	return (&url.URL{Path: filepath.ToSlash(file)}).String()
}

// notifications reports what the results do not contain: what was not scanned,
// and results that were left out. left is the number of the latter.
func (r *Result) notifications(left int) []*sarif.Notification {
	var list []*sarif.Notification
	add := func(level, text string, place input.Place) {
		n := sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(safetext.Visible(text)))
		if place.File != "" {
			n.Locations = append(n.Locations, sarif.NewLocation().WithPhysicalLocation(physical(place)))
		}

		list = append(list, n)
	}
	if left > 0 {
		add(sarif.LevelError, fmt.Sprintf("%d more results, of no higher severity than those here, were left out: a "+
			"file holds at most %d results and %d bytes. The JSON output holds all results.",
			left, sarifMaxResults, sarifMaxBytes), input.Place{})
	}

	const most = 200
	for i, u := range r.Unscanned {
		if i == most {
			add(sarif.LevelError, fmt.Sprintf("%d more were not scanned; the JSON output lists them",
				len(r.Unscanned)-most), input.Place{})
			break
		}

		add(sarif.LevelError, "not scanned: "+subject(u)+": "+oneLine(u), u.Place)
	}

	for i, t := range r.Incomplete {
		if i == most {
			add(sarif.LevelError, fmt.Sprintf("%d more were scanned in part; the JSON output lists them",
				len(r.Incomplete)-most), input.Place{})
			break
		}

		add(sarif.LevelError, fmt.Sprintf("scanned in part: %s:%s: %s", safetext.Name(t.Server), safetext.Name(t.Tool),
			t.reasons()), input.Place{})
	}

	for i := range r.Notes {
		n := &r.Notes[i]
		if i == most {
			add(sarif.LevelWarning, fmt.Sprintf("%d more notes; the JSON output lists them", len(r.Notes)-most),
				input.Place{})
			break
		}

		add(sarif.LevelWarning, safetext.Name(n.Server)+":"+safetext.Name(n.Tool)+": "+n.text(), n.Places[0])
	}

	for _, s := range r.Expired {
		add(sarif.LevelWarning, "expired suppression: "+s.String(), s.Place)
	}

	for _, s := range r.Unused {
		add(sarif.LevelNote, "unused suppression: "+s.String(), s.Place)
	}

	return list
}
