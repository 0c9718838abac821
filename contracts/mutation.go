package contracts

// MutationReport tells what detectors made of the security corpus after each
// operator of the mutation engine had rewritten it. Without detectors nothing
// was measured. HeldOut says whether the held-out operators were among them.
type MutationReport struct {
	SecurityVersion string             `json:"security_version"`
	SecuritySHA256  string             `json:"security_sha256"`
	Seed            int                `json:"seed"`
	HeldOut         bool               `json:"held_out"`
	Detectors       []MutationDetector `json:"detectors"`
}

// MutationDetector is one detector over all variants. Unmutated is the same
// entries as they are, Removed without the passage that operators rewrite:
// what is flagged then is flagged for something else. Totals brings the mechanical families together and those
// that replace words.
type MutationDetector struct {
	Detector  string           `json:"detector"`
	Unmutated MutationScore    `json:"unmutated"`
	Removed   MutationScore    `json:"removed"`
	Totals    []MutationFamily `json:"totals"`
	Families  []MutationFamily `json:"families"`
	Sources   []SourceScore    `json:"sources"`
}

// MutationFamily is one family of operators. Difference is the retention of
// the development operators minus that of the held-out ones. Operators lists
// the development ones only: of what is held out nothing but the sums is told.
type MutationFamily struct {
	Family      string          `json:"family"`
	Development MutationScore   `json:"development"`
	HeldOut     *MutationScore  `json:"held_out,omitempty"`
	Difference  *float64        `json:"difference,omitempty"`
	Operators   []OperatorScore `json:"operators"`
}

// MutationScore counts variants. Recall is over all mutated attacks, Retention
// over those of the attacks that the detector catches as they are. FPR is over
// the innocents that were rewritten by operators an honest author may use,
// FPRDisguise over those rewritten by operators that only hide something.
// Errored counts variants on which the detector failed: attacks are then
// missed, innocents are left out.
type MutationScore struct {
	Recall      Share `json:"recall"`
	Retention   Share `json:"retention"`
	FPR         Share `json:"fpr"`
	FPRDisguise Share `json:"fpr_disguise"`
	Errored     int   `json:"errored"`
}

// Share is Count of Of variants, which were made of Entries entries. Variants
// of one entry are no independent observations: Interval is Wilson's, 95%, for
// Rate over Entries observations. Without variants Rate and Interval are
// absent.
type Share struct {
	Count    int       `json:"count"`
	Of       int       `json:"of"`
	Entries  int       `json:"entries"`
	Rate     *float64  `json:"rate,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
}

// OperatorScore is one operator. Lost are the attacks that are caught as they
// are and missed rewritten; Alarms the innocents that are flagged rewritten
// and not as they are.
type OperatorScore struct {
	Operator string        `json:"operator"`
	Disguise bool          `json:"disguise"`
	Score    MutationScore `json:"score"`
	Lost     []string      `json:"lost"`
	Alarms   []string      `json:"alarms"`
}

// SourceScore is recall on the attacks of one source, as they are and
// rewritten by development operators, beside recall on those of all other
// sources.
type SourceScore struct {
	Source         string `json:"source"`
	Unmutated      Share  `json:"unmutated"`
	Mutated        Share  `json:"mutated"`
	OtherUnmutated Share  `json:"other_unmutated"`
	OtherMutated   Share  `json:"other_mutated"`
}
