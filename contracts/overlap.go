package contracts

// DataComparison says what the data have in common with the data of a baseline
// that was made on other data. Only the common part is compared with the
// baseline. Floors and ceilings are judged on all data.
//
// A query is common if its text and labels are the same and the definition of
// each of its relevant tools is. An entry of the security corpus is common if
// all of it but its provenance is the same.
type DataComparison struct {
	// Baseline is the data of the baseline.
	Baseline DataIdentity `json:"baseline"`
	Tools    Overlap      `json:"tools"`
	Queries  Overlap      `json:"queries"`
	// Entries counts nothing if no detector was run.
	Entries Overlap `json:"entries"`
	// Changes lists what is new, removed or edited, by kind and id. The changes
	// of a dataset are unknown if Unknown names it.
	Changes []DataChange `json:"changes"`
	// Unknown lists the kinds of the datasets that differ but whose entries
	// cannot be compared, because the baseline has no digests.
	Unknown []string `json:"unknown,omitempty"`
	// Apart holds the figures of the queries that are not common, by state.
	Apart []ApartQueries `json:"apart"`
}

// Overlap counts the common entries of two versions of a dataset, and all
// entries of either version.
type Overlap struct {
	Common int `json:"common"`
	Now    int `json:"now"`
	Before int `json:"before"`
}

// Share returns the common part of the larger version, 0..1: removing entries
// lowers it as adding some does. It is 1 if both versions are empty.
func (o Overlap) Share() float64 {
	if larger := max(o.Now, o.Before); larger > 0 {
		return float64(o.Common) / float64(larger)
	}
	return 1
}

// DataChange is an entry that is not common. Kind is that of the dataset. State
// is new, removed or edited. Tool is set if the query itself is the same, and
// the definition of this relevant tool is not.
type DataChange struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	State string `json:"state"`
	Tool  ToolID `json:"tool,omitempty"`
}

// ApartQueries summarises the queries of one state: new, removed or edited.
// Metrics are the means over them now, and Before those in the baseline. New
// queries have no Before, and removed ones no Metrics.
type ApartQueries struct {
	State   string           `json:"state"`
	Queries int              `json:"queries"`
	Metrics RetrievalMetrics `json:"metrics,omitempty"`
	Before  RetrievalMetrics `json:"before,omitempty"`
}

// NotJudged says why the gate does not judge, and the command that helps.
type NotJudged struct {
	Reason string `json:"reason"`
	Remedy string `json:"remedy"`
}

// UnfrozenDataset is a dataset whose bytes are not those of a frozen version.
// State is draft or changed.
type UnfrozenDataset struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	State   string `json:"state"`
}
