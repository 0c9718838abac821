package contracts

// Validation describes the data that validate-datasets accepted. If it refused
// any file, Datasets is empty and Problems lists every problem. The stage then
// fails, so no other stage reads the file.
type Validation struct {
	Datasets []ValidatedDataset `json:"datasets"`
	Warnings []string           `json:"warnings"`
	Problems []Reason           `json:"problems,omitempty"`
	// Digests is absent from reports of earlier versions of the stage.
	Digests *DataDigests `json:"digests,omitempty"`
	// Split is the split of the golden set that was kept, for a quick run; absent for all queries.
	// Figures of such a run never become a baseline.
	Split string `json:"split,omitempty"`
}

// ValidatedDataset describes one accepted file. State is
// frozen, draft or changed.
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
	// StateChanged is that of a file whose version is frozen with other bytes.
	StateChanged = "changed"
)
