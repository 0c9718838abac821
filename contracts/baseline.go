package contracts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Baseline is the committed reference: the measured figures, the data that they
// were measured on, and the thresholds of the gate. No other file holds
// thresholds.
type Baseline struct {
	Version string       `json:"version"`
	Data    DataIdentity `json:"data"`
	// Digests is absent from baselines of earlier versions. Without it the
	// baseline can only be compared with on the same data.
	Digests       *DataDigests       `json:"digests,omitempty"`
	GeneratedFrom GeneratedFrom      `json:"generated_from"`
	Proxy         string             `json:"proxy"`
	RunsAveraged  int                `json:"runs_averaged"`
	Metrics       RetrievalMetrics   `json:"metrics"`
	PerQuery      []BaselineQuery    `json:"per_query"`
	PerDetector   []BaselineDetector `json:"per_detector"`
	// Selection is absent when no selection was measured.
	Selection *BaselineSelection `json:"selection,omitempty"`
	// Cost is absent from baselines of earlier versions.
	Cost       *BaselineCost `json:"cost,omitempty"`
	Thresholds Thresholds    `json:"thresholds"`
	// MadeWith is absent from baselines of earlier versions. It decides nothing: a
	// report names what has changed by it.
	MadeWith []MadeWith `json:"made_with,omitempty"`
	// Accepted names the queries and security entries whose results were taken over
	// one by one, in the order of ids. An update of the baseline measures all anew and has none.
	Accepted []Accepted `json:"accepted,omitempty"`
}

// Accepted is a query or a security entry whose new result a person accepted, and why.
type Accepted struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// MadeWith is the digest of one part of a stage on which the figures of a
// baseline depend, over all instances of the stage. Component is named as in the
// stage's key: command, tool.NAME or input.NAME.
type MadeWith struct {
	Stage     string `json:"stage"`
	Component string `json:"component"`
	SHA256    string `json:"sha256"`
}

// DataIdentity names the data that figures were measured on, by version and by
// the SHA-256 of the files.
type DataIdentity struct {
	CorpusVersion   string `json:"corpus_version"`
	CorpusSHA256    string `json:"corpus_sha256"`
	GoldenVersion   string `json:"golden_version"`
	GoldenSHA256    string `json:"golden_sha256"`
	SecurityVersion string `json:"security_version"`
	SecuritySHA256  string `json:"security_sha256"`
}

// BaselineQuery holds a query's metrics (means over the runs) and the ranked
// tools of the first run, best first, at most ten.
type BaselineQuery struct {
	ID      string           `json:"id"`
	Metrics RetrievalMetrics `json:"metrics"`
	Ranked  []ToolID         `json:"ranked"`
}

// BaselineDetector holds a detector's scores and the ids of the entries that it
// flagged in most runs. Shares has the share of the runs that flagged an entry,
// for entries on which the runs disagreed.
type BaselineDetector struct {
	Score   DetectorScore      `json:"score"`
	Flagged []string           `json:"flagged"`
	Errored []string           `json:"errored"`
	Shares  map[string]float64 `json:"shares,omitempty"`
}

// Thresholds are what the gate judges by. A detector that is not listed is
// reported but not judged.
type Thresholds struct {
	Retrieval []MetricThreshold   `json:"retrieval"`
	Detectors []DetectorThreshold `json:"detectors"`
	// MaxErrored is the largest share, 0..1, of the queries, and of the entries
	// of each judged detector, that may end in an error. The gate fails if the
	// share is larger.
	MaxErrored float64 `json:"max_errored"`
	// Selection bounds models. A model that is not listed is reported and not
	// judged.
	Selection []SelectionThreshold `json:"selection,omitempty"`
	// NotJudged names the detectors that have no threshold on purpose. An update
	// of the baseline adds thresholds for all others.
	NotJudged []string `json:"not_judged,omitempty"`
	// NoAnswer bounds metrics of the unanswerable queries. A metric that
	// is not listed is reported and not judged.
	NoAnswer []NoAnswerThreshold `json:"no_answer,omitempty"`
	// Cost has the largest value of figures of metrics.CostFigures, or the smallest
	// of the break-even, whatever the baseline measured. A figure that is not
	// listed is reported and not judged.
	Cost map[string]float64 `json:"cost,omitempty"`
}

// NoAnswerThreshold is the smallest value of one metric of the queries that no
// tool serves, whatever the baseline measured.
type NoAnswerThreshold struct {
	Metric string  `json:"metric"`
	Floor  float64 `json:"floor"`
}

// MetricThreshold allows Metric (recall_at_5, mrr, ndcg_at_10, ...) to be worse
// than the baseline by at most Tolerance: lower, or higher if lower is better.
// With NonInferiority the gate judges the worse bound of the 95% interval of
// the difference instead of the mean.
//
// Derived is the tolerance that an update of the baseline computed, for which
// Reason gives the cause. A later update computes it again. A tolerance that
// differs from Derived, or without Derived, was set by a person: an update keeps
// it, and Reason is theirs.
type MetricThreshold struct {
	Metric         string   `json:"metric"`
	Tolerance      float64  `json:"tolerance"`
	NonInferiority bool     `json:"non_inferiority,omitempty"`
	Derived        *float64 `json:"derived,omitempty"`
	Reason         string   `json:"reason,omitempty"`
}

// ByPerson reports whether a person set the tolerance.
func (t MetricThreshold) ByPerson() bool { return t.Derived == nil || *t.Derived != t.Tolerance }

// DetectorThreshold bounds one detector. FPRCeiling bounds the false-positive
// rate on plain benign entries, and HardNegativeFPRCeiling that on hard
// negatives. They are separate so that easy negatives cannot dilute the gate.
//
// CategoryFloors bounds the recall of attack categories, so that a category
// that is lost is not made up for by others. MaxUnstable is the largest share of
// entries on which the runs may disagree; if it is absent, runs may disagree on
// any entry. Rates are means over the runs. Reason says why the bounds are what
// they are, and is required for a RecallFloor of 0.
type DetectorThreshold struct {
	Detector               string          `json:"detector"`
	FPRCeiling             float64         `json:"fpr_ceiling"`
	HardNegativeFPRCeiling float64         `json:"hard_negative_fpr_ceiling"`
	RecallFloor            float64         `json:"recall_floor"`
	CategoryFloors         []CategoryFloor `json:"category_floors,omitempty"`
	MaxUnstable            *float64        `json:"max_unstable,omitempty"`
	Reason                 string          `json:"reason,omitempty"`
}

// CategoryFloor is the smallest recall of one attack category. Reason is required
// for a floor of 0.
type CategoryFloor struct {
	Category    string  `json:"category"`
	RecallFloor float64 `json:"recall_floor"`
	Reason      string  `json:"reason,omitempty"`
}

// ReadThresholds reads only the thresholds and the version of the baseline at
// path. It ignores the figures, which may come from another version of the
// program or be wrong. Invalid thresholds give a *FileError.
func ReadThresholds(path string) (Baseline, error) {
	data, err := ReadBytes(path)
	if err != nil {
		return Baseline{}, err
	}

	schema, err := schemaOf(reflect.TypeFor[Baseline]())
	if err != nil {
		return Baseline{}, err
	}

	tree, p := parse(data)
	if p.failed != nil {
		return Baseline{}, place(path, data, append(p.problems, *p.failed))
	}

	var concerned []located
	valid := map[string]bool{"version": true, "thresholds": true}
	for _, problem := range merge(tree, data, p.problems, check(schema, tree)) {
		field, _, _ := strings.Cut(strings.TrimPrefix(problem.Pointer, "/"), "/")
		valid[field] = false
		if field == "thresholds" {
			concerned = append(concerned, problem)
		}
	}

	if len(concerned) > 0 {
		return Baseline{}, place(path, data, concerned)
	}

	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil || raw["thresholds"] == nil {
		return Baseline{}, place(path, data, []located{{0, Problem{
			Message: `the field "thresholds" is missing`,
			Remedy:  "a baseline without thresholds cannot be kept: add them, or move the file away",
		}}})
	}

	var kept Baseline
	if err := json.Unmarshal(raw["thresholds"], &kept.Thresholds); err != nil {
		return Baseline{}, fmt.Errorf("%s: cannot read the thresholds: %w", path, err)
	}

	if valid["version"] && raw["version"] != nil {
		if err := json.Unmarshal(raw["version"], &kept.Version); err != nil {
			return Baseline{}, fmt.Errorf("%s: cannot read the version: %w", path, err)
		}
	}

	return kept, nil
}
