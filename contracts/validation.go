package contracts

// Validation is what validate-datasets found out about data it accepted. It
// is written only when there was nothing to refuse.
type Validation struct {
	Datasets []ValidatedDataset `json:"datasets"`
	Warnings []string           `json:"warnings"`
}

// ValidatedDataset describes one accepted file. State is frozen or draft.
type ValidatedDataset struct {
	Kind          string `json:"kind"`
	Version       string `json:"version"`
	SHA256        string `json:"sha256"`
	State         string `json:"state"`
	Entries       int    `json:"entries"`
	HardNegatives int    `json:"hard_negatives"`
}

// States of a validated dataset.
const (
	StateFrozen = "frozen"
	StateDraft  = "draft"
)
