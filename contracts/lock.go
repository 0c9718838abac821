package contracts

// DatasetLock lists the frozen dataset versions. A dataset whose kind and
// version are listed must have exactly this digest. A dataset that is not
// listed is a draft.
type DatasetLock struct {
	Frozen []FrozenDataset `json:"frozen"`
}

// FrozenDataset pins one version. Kind is corpus, golden, security or
// cases; SHA256 is over the file's bytes, in lower-case hexadecimal.
type FrozenDataset struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
}

// Kinds of dataset.
const (
	KindCorpus   = "corpus"
	KindGolden   = "golden"
	KindSecurity = "security"
	KindCases    = "cases"
)
