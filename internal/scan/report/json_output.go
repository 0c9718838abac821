package report

import (
	"encoding/json"
	"io"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// The JSON output. Findings are ordered by severity, the worst first.
// evidence[i] is the text that triggered signals[i], the id of a check, and
// details[i] tells more about it.
// Everything else that a reader has to know before calling a scan clean is in
// coverage.
type (
	jsonReport struct {
		Findings  []jsonFinding `json:"findings"`
		Coverage  jsonCoverage  `json:"coverage"`
		Tools     []Listed      `json:"tools,omitempty"` // and what else was read, if it is to be listed
		RiskScore int           `json:"risk_score"`
	}
	jsonFinding struct {
		Server      string              `json:"server"`
		Tool        string              `json:"tool"`
		Subject     scanner.Subject     `json:"subject,omitempty"`
		ThreatLevel scanner.ThreatLevel `json:"threat_level"`
		Severity    scanner.Severity    `json:"severity"`
		Action      scanner.Action      `json:"action"`
		Confidence  float64             `json:"confidence"`
		Signals     []string            `json:"signals"`
		Evidence    []string            `json:"evidence"`
		Details     []jsonSignal        `json:"details"`
		Places      []input.Place       `json:"places"`
	}
	// jsonSignal is a signal. Words are the telling words of the evidence.
	jsonSignal struct {
		Check      string             `json:"check"`
		Tripwire   string             `json:"tripwire,omitempty"`
		Tier       scanner.Tier       `json:"tier"`
		ThreatType scanner.ThreatType `json:"threat_type"`
		Confidence float64            `json:"confidence"`
		Detail     string             `json:"detail"`
		Pointer    string             `json:"pointer,omitempty"`
		Words      string             `json:"words,omitempty"`
		Place      *input.Place       `json:"place,omitempty"` // in a source, if it is not that of the definition
		Why        string             `json:"why,omitempty"`
		Do         string             `json:"do,omitempty"`
	}
	jsonCoverage struct {
		Complete bool `json:"complete"`
		// The counts of the scanner are of all definitions; these are apart.
		ToolsScanned     int `json:"tools_scanned"`
		PromptsScanned   int `json:"prompts_scanned"`
		ResourcesScanned int `json:"resources_scanned"`
		scanner.Coverage
		Servers             []ServerCount      `json:"servers"`
		NotScanned          []input.Unscanned  `json:"not_scanned"`
		Incomplete          []Incomplete       `json:"incomplete"`
		PassedOver          []input.PassedOver `json:"passed_over"`
		Notes               []Note             `json:"notes"`
		Suppressed          []jsonSuppressed   `json:"suppressed"`
		SuppressionsExpired []jsonSuppression  `json:"suppressions_expired"`
		SuppressionsUnused  []jsonSuppression  `json:"suppressions_unused"`
		Baseline            *Drift             `json:"baseline,omitempty"`
	}
	jsonSuppressed struct {
		Server   string `json:"server"`
		Tool     string `json:"tool"`
		Signal   string `json:"signal"`
		Evidence string `json:"evidence"`
		Reason   string `json:"reason"`
		Expires  string `json:"expires,omitempty"`
	}
	jsonSuppression struct {
		Tool    string      `json:"tool"`
		Check   string      `json:"check"`
		Reason  string      `json:"reason"`
		Expires string      `json:"expires,omitempty"`
		Place   input.Place `json:"place"`
	}
)

// WriteJSON writes the result as one JSON object. The names of servers and
// tools are those that their authors wrote; evidence is printable.
func (r *Result) WriteJSON(w io.Writer) error {
	out := jsonReport{Findings: make([]jsonFinding, len(r.Findings)), RiskScore: r.RiskScore, Tools: r.Read}
	for i, f := range r.Findings {
		j := jsonFinding{
			Server: f.Server, Tool: f.Tool, Subject: f.Subject, ThreatLevel: f.ThreatLevel, Severity: f.Severity,
			Action: f.Action, Confidence: f.Confidence,
			Signals: make([]string, len(f.Signals)), Evidence: make([]string, len(f.Signals)),
			Details: make([]jsonSignal, len(f.Signals)), Places: orEmpty(f.Places),
		}
		for k := range f.Signals {
			s := &f.Signals[k]
			j.Signals[k], j.Evidence[k] = s.CheckID, s.Evidence
			_, words, _ := quoted(s)
			why, do := advice(&f, s)
			j.Details[k] = jsonSignal{s.CheckID, s.Pattern, s.Tier, s.ThreatType, s.Confidence, s.Detail, f.pointer(s),
				words, nil, why, do}
			if places := f.placesOf(s); len(places) > 0 && places[0] != f.Places[0] {
				j.Details[k].Place = &places[0]
			}
		}

		out.Findings[i] = j
	}

	out.Coverage = jsonCoverage{
		Complete: r.Complete(), Coverage: r.Coverage,
		Servers: orEmpty(r.Servers), NotScanned: orEmpty(r.Unscanned), Incomplete: orEmpty(r.Incomplete),
		PassedOver: orEmpty(r.PassedOver), Notes: orEmpty(r.Notes),
		Suppressed:          make([]jsonSuppressed, len(r.Suppressed)),
		SuppressionsExpired: jsonSuppressions(r.Expired), SuppressionsUnused: jsonSuppressions(r.Unused),
		Baseline: r.Drift,
	}
	for _, s := range r.Servers {
		out.Coverage.ToolsScanned += s.Tools
		out.Coverage.PromptsScanned += s.Prompts
		out.Coverage.ResourcesScanned += s.Resources
	}

	for i, s := range r.Suppressed {
		out.Coverage.Suppressed[i] = jsonSuppressed{s.Server, s.Tool, s.Signal.CheckID, s.Signal.Evidence, s.Reason,
			s.Expires}
	}

	// The escapes make the output safe in a page and a terminal, and do not
	// change what a parser reads.
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}

	_, err = w.Write(append(safetext.JSON(text), '\n'))
	return err
}

func jsonSuppressions(list []Suppression) []jsonSuppression {
	out := make([]jsonSuppression, len(list))
	for i, s := range list {
		out[i] = jsonSuppression(s)
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
