package contracts

// Validation describes the data that validate-datasets accepted. It is written
// only if nothing was refused.
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
