package scanner

import (
	"bytes"
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/check"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Scan judges all tools together. The result depends neither on the order of
// the tools nor on the number of processors.
func (s *Scanner) Scan(tools []Tool) *Report { return s.ScanAll(pointersTo(tools)) }

// ScanAll does the same with tools that the caller has in structures of its own, and copies none of them.
func (s *Scanner) ScanAll(tools []*Tool) *Report {
	order := sortedOrder(tools)
	registry := s.registry(tools, order)
	results := make([]*Finding, len(tools)) // nil for most
	// Workers take tools in chunks: small enough to balance one huge
	// description, and large enough that the shared counter costs little.
	const chunk = 16
	var next atomic.Int64
	var large struct {
		sync.Mutex
		workspace
	}
	work := func() {
		ws := workspaces.Get().(*workspace)
		defer workspaces.Put(ws)
		for {
			from := int(next.Add(chunk)) - chunk
			if from >= len(order) {
				return
			}

			for _, i := range order[from:min(from+chunk, len(order))] {
				if sizeOf(tools[i]) > largeTool {
					large.Lock()
					results[i] = s.inspect(&large.workspace, tools[i], registry).kept()
					large.Unlock()
					continue
				}

				results[i] = s.inspect(ws, tools[i], registry).kept()
			}
		}
	}
	workers := min(runtime.GOMAXPROCS(0), (len(tools)+chunk-1)/chunk)
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}

	work()
	wg.Wait()

	report := &Report{Findings: []Finding{}}
	failed := map[string]int{}
	for _, i := range order {
		f := results[i]
		if f == nil {
			continue
		}

		f.Index = i
		for _, id := range f.FailedChecks {
			failed[id]++
		}

		report.Findings = append(report.Findings, *f)
	}

	report.Coverage = s.coverage(len(tools), failed)
	report.RiskScore = riskScore(report.Findings)
	return report
}

// pointersTo returns pointers to the elements of a list.
func pointersTo(tools []Tool) []*Tool {
	list := make([]*Tool, len(tools))
	for i := range tools {
		list[i] = &tools[i]
	}
	return list
}

// largeTool is the size in bytes beyond which tools are judged one at a time, with
// buffers that are not kept after the scan: a scan takes up to a hundred times the memory of the
// text, and must not take it once for each processor.
const largeTool = 256 << 10

// sizeOf returns the number of bytes of a definition.
func sizeOf(t *Tool) int {
	return len(t.Name) + len(t.Title) + len(t.Description) + len(t.InputSchema) + len(t.OutputSchema) +
		len(t.Annotations) + len(t.Extra)
}

// ScanOne judges one tool against a registry made by Registry. It is fast
// enough for a request path.
func (s *Scanner) ScanOne(tool Tool, registry *RegistryView) Finding {
	ws := workspaces.Get().(*workspace)
	defer workspaces.Put(ws)
	return s.inspect(ws, &tool, registry)
}

func (s *Scanner) coverage(tools int, failed map[string]int) Coverage {
	c := Coverage{ToolsScanned: tools, FailedCheckIDs: []string{}}
	pairs := 0
	ids := s.checkIDs()
	for _, id := range ids {
		if n := failed[id]; n > 0 {
			c.FailedCheckIDs = append(c.FailedCheckIDs, id)
			pairs += n
		}
	}

	c.ChecksFailed = len(c.FailedCheckIDs)
	c.ChecksRun = len(ids) - c.ChecksFailed
	if tools > 0 {
		c.Degraded = round(float64(pairs) / float64(tools*len(ids)))
	}

	return c
}

// sortedOrder returns the indices of tools sorted by content, so that the
// caller's order does not matter.
func sortedOrder(tools []*Tool) []int {
	order := make([]int, len(tools))
	for i := range order {
		order[i] = i
	}

	slices.SortFunc(order, func(i, j int) int {
		a, b := tools[i], tools[j]
		if byName := cmp.Or(
			cmp.Compare(a.Server, b.Server),
			cmp.Compare(a.Subject, b.Subject),
			cmp.Compare(a.Name, b.Name),
		); byName != 0 {
			return byName // before the long texts are compared
		}

		return cmp.Or(
			cmp.Compare(a.Description, b.Description),
			bytes.Compare(a.InputSchema, b.InputSchema),
			bytes.Compare(a.OutputSchema, b.OutputSchema),
			bytes.Compare(a.Annotations, b.Annotations),
			cmp.Compare(a.Title, b.Title),
			bytes.Compare(a.Extra, b.Extra),
		)
	})
	return order
}

// workspace holds the buffers of one worker, which it reuses from tool to tool.
type workspace struct {
	reading reading.Reading
	signals []Signal // of one check
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// inspect runs every check on one tool.
func (s *Scanner) inspect(ws *workspace, t *Tool, registry *RegistryView) Finding {
	ws.reading.Without(s.decoders)
	ws.reading.Load((*tool.Definition)(t))
	f := Finding{Server: t.Server, Tool: t.Name, Subject: t.Subject}
	for i := range s.checks {
		signals, ok := ws.builtin(&s.checks[i], registry.inner())
		f.add(s.checks[i].Info.ID, signals, ok)
	}

	if len(s.extra) > 0 {
		for _, check := range s.extra {
			view := &ToolView{Tool: t.clone()}
			signals, ok := guarded(check, view, registry)
			f.add(check.ID(), signals, ok)
		}
	}

	f.Unread = slices.Clone(ws.reading.Unread)
	f.judge()
	return f
}

// notable reports whether a report lists the finding.
func (f *Finding) notable() bool {
	return len(f.Signals) > 0 || len(f.FailedChecks) > 0 || len(f.Unread) > 0
}

// kept returns the finding if a report lists it, or nil.
func (f Finding) kept() *Finding {
	if f.notable() {
		return &f
	}
	return nil
}

// add appends the signals of one check. ok is false if the check failed.
func (f *Finding) add(id string, signals []Signal, ok bool) {
	if !ok {
		f.FailedChecks = append(f.FailedChecks, id)
		return
	}

	for _, sig := range signals {
		sig.Confidence = round(min(max(sig.Confidence, 0), 1))
		if sig.ThreatType == "" {
			sig.ThreatType = ThreatUncategorized
		}

		if evidence := char.Printable(sig.Evidence); evidence != sig.Evidence {
			sig.Evidence, sig.Words = evidence, [2]int{}
		}

		sig.Detail = char.Printable(sig.Detail)
		f.Signals = append(f.Signals, sig)
	}
}

// builtin runs a built-in check on the tool of the workspace. If the check
// panics, ok is false, and the other checks are not affected.
func (ws *workspace) builtin(check *check.Check, registry *tool.Registry) (signals []Signal, ok bool) {
	defer func() {
		if recover() != nil {
			signals, ok = nil, false
		}
	}()
	ws.signals = ws.signals[:0]
	for _, s := range check.Inspect(&ws.reading, registry) {
		ws.signals = append(ws.signals, Signal{
			CheckID: s.CheckID, Tier: s.Tier, ThreatType: s.ThreatType,
			Confidence: s.Confidence, Evidence: s.Evidence.Text, Words: [2]int{s.Evidence.Start, s.Evidence.End},
			Detail: s.Detail, Pointer: s.Pointer, Pattern: s.Pattern, critical: s.Critical,
		})
	}

	return ws.signals, true
}

// guarded does the same for a custom check. A check whose signals are not valid
// fails as well.
func guarded(check Check, view *ToolView, registry *RegistryView) (signals []Signal, ok bool) {
	defer func() {
		if recover() != nil {
			signals, ok = nil, false
		}
	}()
	signals = check.Inspect(view, registry)
	for _, s := range signals {
		// Under another id, signals would count as those of another check. No
		// report can hold a confidence that is not a number.
		if w := s.Words; w[0] < 0 || w[0] > w[1] || w[1] > len(s.Evidence) {
			return nil, false
		}

		if s.CheckID != check.ID() || math.IsNaN(s.Confidence) || s.Tier != TierSoft && s.Tier != TierHard ||
			s.ThreatType != "" && !s.ThreatType.Known() {
			return nil, false
		}
	}

	return signals, true
}

// judge derives level, severity, action and confidence from the signals.
func (f *Finding) judge() {
	f.ThreatLevel, f.Severity, f.Action = LevelSafe, SeverityNone, ActionAllow
	if len(f.FailedChecks) > 0 {
		f.ThreatLevel, f.Action = LevelWarning, ActionReview // nobody knows what the check would have found
	}

	if f.Signals == nil {
		f.Signals = []Signal{}
		return
	}

	hard, critical := false, false
	for _, s := range f.Signals {
		hard = hard || s.Tier == TierHard
		critical = critical || s.critical && s.Tier == TierHard
	}

	e := evidence(f.Signals)
	f.Confidence = round(probability(e))
	switch {
	case critical:
		f.ThreatLevel, f.Severity, f.Action = LevelDangerous, SeverityCritical, ActionQuarantine
	case hard:
		f.ThreatLevel, f.Severity, f.Action = LevelDangerous, SeverityHigh, ActionQuarantine
	default:
		f.ThreatLevel, f.Action = LevelWarning, ActionReview
		switch {
		case e >= highEvidence:
			f.Severity = SeverityHigh
		case e >= mediumEvidence:
			f.Severity = SeverityMedium
		default:
			f.Severity = SeverityLow
		}
	}
}

// Weights of the risk score. One hard signal outweighs any number of soft ones.
// All weights are added, so that an additional signal never lowers the score.
const (
	riskHardBase = 60.0
	riskPerHard  = 10.0
	riskPerSoft  = 8.0
	riskSoftCap  = 50.0
)

// riskScore returns 0..100 over all findings. Hard signals dominate. Soft ones
// count once for each check and tool.
func riskScore(findings []Finding) int {
	hard, soft := 0.0, 0.0
	anyHard := false
	for _, f := range findings {
		last := ""
		for _, s := range f.Signals {
			if s.Tier == TierHard {
				anyHard = true
				hard += riskPerHard * s.Confidence
			} else if s.CheckID != last {
				soft += riskPerSoft * s.Confidence
				last = s.CheckID
			}
		}
	}

	if !anyHard {
		return int(math.Ceil(min(soft, riskSoftCap)))
	}

	return int(math.Ceil(min(100, riskHardBase+hard+min(soft, riskSoftCap)/5)))
}

// round rounds to three decimals, which is precise enough for a confidence.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
