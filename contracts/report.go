package contracts

import (
	"errors"
	"fmt"
)

// Report is report.json: the data of all rendered pages.
type Report struct {
	Version   int       `json:"version"`
	Gate      Gate      `json:"gate"`
	Aggregate Aggregate `json:"aggregate"`
	// MadeElsewhere lists the results of the run that its machine did not make.
	// No stage writes it. The command line adds it when it publishes the report.
	MadeElsewhere []MadeElsewhere `json:"made_elsewhere,omitempty"`
}

// MadeElsewhere is a result that the machine of the run did not make. Origin is
// a phrase such as "imported from main.cache on 2026-11-23, taken on trust".
// Signed is set if the signature of an allowed signer was verified.
type MadeElsewhere struct {
	Stage    string `json:"stage"`
	Instance string `json:"instance"`
	Origin   string `json:"origin"`
	Signed   bool   `json:"signed"`
}

// ReportVersion is the version of Report that this program writes.
const ReportVersion = 1

// ReadReport reads a report.json, which only a program writes. If the form of the file is another one, the error says
// that another version wrote it, and names one difference as an example. A file that is no report at all gives the
// error of Read.
func ReadReport(path string) (Report, error) {
	r, err := Read[Report](path)
	var f *FileError
	if errors.As(err, &f) && r.Version > 0 {
		p := f.Problems[0]
		return r, fmt.Errorf("%s: another version of Touchstone wrote this report (%d differences, such as "+
			"line %d: %s): run touchstone gate again, or read it with the version that wrote it", f.Path,
			len(f.Problems), p.Line, p.Message)
	}
	return r, err
}

// RunSummary describes the run of the pipeline: which instances were hits,
// which ran and for how long. It depends on the machine and the moment, so no
// stage reads or writes it. The command line adds it to report.html when it
// publishes the report.
type RunSummary struct {
	Started    string        `json:"started"`
	DurationMS int64         `json:"duration_ms"`
	Hits       int           `json:"hits"`
	Executed   int           `json:"executed"`
	Instances  []RunInstance `json:"instances"`
	// Changed says what changed since the baseline, one line for each of proxy,
	// scanner, data and the rest of the pipeline.
	Changed []string `json:"changed,omitempty"`
	// Command runs the gate again with the same settings.
	Command string `json:"command,omitempty"`
	// History has the figures of the results that are in the cache, with those
	// of this run. It is nil if the cache holds no other.
	History *FigureHistory `json:"history,omitempty"`
	// MadeElsewhere lists the results that this machine did not make.
	MadeElsewhere []MadeElsewhere `json:"made_elsewhere,omitempty"`
}

// FigureHistory is how figures changed over the results of the same stage.
type FigureHistory struct {
	// Runs are the results, the oldest first.
	Runs []HistoryRun `json:"runs"`
	// Figures are the metrics and the rates of detectors.
	Figures []HistoryFigure `json:"figures"`
}

// HistoryRun is one result. Started is the time of the execution, RFC 3339.
// Degraded says how the proxy was degraded on purpose, or is empty. Origin is
// that of MadeElsewhere, or empty for a result that this machine made.
type HistoryRun struct {
	Started       string `json:"started"`
	Proxy         string `json:"proxy"`
	GoldenVersion string `json:"golden_version"`
	Degraded      string `json:"degraded,omitempty"`
	Origin        string `json:"origin,omitempty"`
	// Commit is the abbreviated commit that was checked out at that time, if this checkout knows it.
	Commit string `json:"commit,omitempty"`
}

// HistoryFigure is one figure over the runs. Name is one that report history
// accepts, such as recall_at_5 or scanner:recall. A run that lacks the figure
// has no point.
type HistoryFigure struct {
	Name   string         `json:"name"`
	Label  string         `json:"label"`
	Points []HistoryPoint `json:"points"`
}

// HistoryPoint is the value of a figure in the run with that index.
type HistoryPoint struct {
	Run   int     `json:"run"`
	Value float64 `json:"value"`
}

// RunInstance is one stage instance of a run. Status is hit, ran, failed,
// skipped or off. Reason names the condition if Status is off. DurationMS is
// the time of the execution, in this run or in the cached one. After lists the
// stages whose outputs it reads.
type RunInstance struct {
	Stage      string   `json:"stage"`
	Instance   string   `json:"instance"`
	Status     string   `json:"status"`
	Reason     string   `json:"reason,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	After      []string `json:"after"`
}
