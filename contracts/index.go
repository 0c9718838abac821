package contracts

// IndexSnapshot lists what the proxy under test indexed, as the proxy's own
// listing shows it.
type IndexSnapshot struct {
	CorpusVersion string        `json:"corpus_version"`
	Proxy         string        `json:"proxy"`
	ProxyIdentity string        `json:"proxy_identity"`
	Tools         []IndexedTool `json:"tools"`
	// Quarantine lists the tools that the proxy would hide outside an evaluation.
	Quarantine []Quarantined `json:"quarantine,omitempty"`
}

// Quarantined is a tool that a proxy would hide, and the findings of its scanner.
type Quarantined struct {
	ToolID ToolID `json:"tool_id"`
	Reason string `json:"reason"`
}

// IndexedTool holds digests of the indexed content. DescriptionSHA256 is over
// the bytes of the description. SchemaSHA256 is over the schema's canonical
// JSON (sorted keys, no insignificant white space). Each is empty if the proxy
// does not list that content.
type IndexedTool struct {
	ToolID            ToolID `json:"tool_id"`
	DescriptionSHA256 string `json:"description_sha256,omitempty"`
	SchemaSHA256      string `json:"schema_sha256,omitempty"`
	// FoundBy says how it is known that the proxy holds a tool that it does not list:
	// FoundByGiven, FoundBySearch or FoundByNothing. It is empty for a tool that the proxy lists.
	FoundBy string `json:"found_by,omitempty"`
}

// The values of IndexedTool.FoundBy.
const (
	// FoundByGiven means that the program got the tool from Touchstone and has no list.
	FoundByGiven = "given"
	// FoundBySearch means that a search for the tool found it.
	FoundBySearch = "search"
	// FoundByNothing means that the proxy does not list the tool and that no search for
	// it found it. The proxy may hold it all the same.
	FoundByNothing = "nothing"
)
