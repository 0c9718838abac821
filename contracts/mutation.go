package contracts

// MutationReport holds the results of detectors on the security corpus after
// each operator of the mutation engine had rewritten it. Detectors is empty if
// nothing was measured. HeldOut reports whether the held-out operators were
// included.
type MutationReport struct {
	SecurityVersion string             `json:"security_version"`
	SecuritySHA256  string             `json:"security_sha256"`
	Seed            int                `json:"seed"`
	HeldOut         bool               `json:"held_out"`
	Detectors       []MutationDetector `json:"detectors"`
}

// MutationDetector is one detector over all variants. Unmutated counts the same
// entries without rewriting. Removed counts them without the passage that
// operators rewrite: an entry that is still flagged is flagged for another
// passage. Totals sums up the mechanical families, and the families that
// replace words.
// that replace words.
type MutationDetector struct {
	Detector  string           `json:"detector"`
	Unmutated MutationScore    `json:"unmutated"`
	Removed   MutationScore    `json:"removed"`
	Totals    []MutationFamily `json:"totals"`
	Families  []MutationFamily `json:"families"`
	Sources   []SourceScore    `json:"sources"`
}

// MutationFamily is one family of operators. Difference is the retention of the
// development operators minus that of the held-out ones. Operators lists the
// development operators only. For held-out operators only the sums are
// reported.
type MutationFamily struct {
	Family      string          `json:"family"`
	Development MutationScore   `json:"development"`
	HeldOut     *MutationScore  `json:"held_out,omitempty"`
	Difference  *float64        `json:"difference,omitempty"`
	Operators   []OperatorScore `json:"operators"`
}

// MutationScore counts variants. Recall is over all mutated attacks. Retention
// is over the mutated attacks whose original the detector catches. FPR is over
// innocent entries rewritten by operators that an honest author may use.
// FPRDisguise is over those rewritten by operators that only hide something.
// Errored counts variants on which the detector failed: such an attack counts
// as missed, and such an innocent entry is left out.
type MutationScore struct {
	Recall      Share `json:"recall"`
	Retention   Share `json:"retention"`
	FPR         Share `json:"fpr"`
	FPRDisguise Share `json:"fpr_disguise"`
	Errored     int   `json:"errored"`
}

// Share is Count of Of variants, which were made from Entries entries. Variants
// of one entry are not independent, so Interval is Wilson's 95% interval of
// Rate over Entries observations. Rate and Interval are absent if there are no
// variants.
type Share struct {
	Count    int       `json:"count"`
	Of       int       `json:"of"`
	Entries  int       `json:"entries"`
	Rate     *float64  `json:"rate,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
}

// OperatorScore is one operator. Lost counts attacks that are caught unchanged
// and missed when rewritten. Alarms counts innocent entries that are flagged
// when rewritten but not unchanged.
type OperatorScore struct {
	Operator string        `json:"operator"`
	Disguise bool          `json:"disguise"`
	Score    MutationScore `json:"score"`
	Lost     []string      `json:"lost"`
	Alarms   []string      `json:"alarms"`
}

// SourceScore compares recall on the attacks of one source, unchanged and
// rewritten by development operators, with recall on the attacks of all other
// sources.
type SourceScore struct {
	Source         string `json:"source"`
	Unmutated      Share  `json:"unmutated"`
	Mutated        Share  `json:"mutated"`
	OtherUnmutated Share  `json:"other_unmutated"`
	OtherMutated   Share  `json:"other_mutated"`
}
