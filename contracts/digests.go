package contracts

// DataDigests identifies the single entries of the data by id, so that data of
// which a part changed can still be compared in the other part. A digest is the
// first 16 hexadecimal digits of a SHA-256: it is only ever compared with that
// of the entry of the same id.
type DataDigests struct {
	// Tools are those of the corpus: name, description and argument schema.
	Tools map[string]string `json:"tools"`
	// Queries are those of the golden set: text and labels.
	Queries map[string]string `json:"queries"`
	// Entries are those of the security corpus, without their provenance.
	Entries map[string]string `json:"entries"`
	// Cases are those of tool selection, without tags and notes.
	Cases map[string]string `json:"cases,omitempty"`
}
