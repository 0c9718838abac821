package contracts

// SecurityReport is one run of one detector over the security corpus.
type SecurityReport struct {
	SecurityVersion string        `json:"security_version"`
	SecuritySHA256  string        `json:"security_sha256"`
	Run             int           `json:"run"`
	Detector        DetectorScore `json:"detector"`
	PerEntry        []EntryResult `json:"per_entry"`
}

// DetectorScore is the confusion matrix of one detector and the rates computed
// from it. A rate whose denominator is zero is absent, never 0 or 1. FPR is
// over all benign entries. FPRHardNegative is over hard negatives, and
// FPRBenign over plain benign entries. Errored counts entries on which the
// detector failed: a malicious one counts as FN, a benign one as neither FP nor
// TN.
type DetectorScore struct {
	Detector        string          `json:"detector"`
	Precision       *float64        `json:"precision,omitempty"`
	Recall          *float64        `json:"recall,omitempty"`
	F1              *float64        `json:"f1,omitempty"`
	FPR             *float64        `json:"fpr,omitempty"`
	FPRHardNegative *float64        `json:"fpr_hard_negative,omitempty"`
	FPRBenign       *float64        `json:"fpr_benign,omitempty"`
	TP              int             `json:"tp"`
	FP              int             `json:"fp"`
	TN              int             `json:"tn"`
	FN              int             `json:"fn"`
	Errored         int             `json:"errored"`
	PrecisionAt     []BaseRate      `json:"precision_at_base_rate"`
	PerCategory     []CategoryScore `json:"per_category"`
}

// BaseRate is the precision to expect when one tool in OneIn is malicious, with
// its 95% interval.
type BaseRate struct {
	OneIn     int       `json:"one_in"`
	Precision *float64  `json:"precision,omitempty"`
	Interval  *Interval `json:"interval,omitempty"`
}

// CategoryScore counts one category. For an attack category, Flagged of Total
// is its recall; for benign and hard_negative it is the false-positive rate.
type CategoryScore struct {
	Category string   `json:"category"`
	Total    int      `json:"total"`
	Flagged  int      `json:"flagged"`
	Errored  int      `json:"errored"`
	Rate     *float64 `json:"rate,omitempty"`
}

// EntryResult is the detector's result for one entry. Verdict is flagged, clean
// or errored. Text is the beginning of the entry for a reader: its server, its
// tool and its description, safe for terminals and pages.
type EntryResult struct {
	ID         string   `json:"id"`
	Label      string   `json:"label"`
	Category   string   `json:"category"`
	Text       string   `json:"text,omitempty"`
	Technique  string   `json:"technique,omitempty"`
	Carrier    string   `json:"carrier,omitempty"`
	Verdict    string   `json:"verdict"`
	Confidence float64  `json:"confidence"`
	Signals    []string `json:"signals"`
	Evidence   string   `json:"evidence,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// Verdicts of a detector.
const (
	VerdictFlagged = "flagged"
	VerdictClean   = "clean"
	VerdictErrored = "errored"
)
