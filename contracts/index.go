package contracts

// IndexSnapshot is what the proxy under test really indexed, as snapshot-index
// saw it through the proxy's own listing.
type IndexSnapshot struct {
	CorpusVersion string        `json:"corpus_version"`
	Proxy         string        `json:"proxy"`
	ProxyIdentity string        `json:"proxy_identity"`
	Tools         []IndexedTool `json:"tools"`
}

// IndexedTool carries digests over the content that was indexed:
// DescriptionSHA256 over the description's bytes, SchemaSHA256 over the
// schema's canonical JSON (keys sorted, no insignificant white space). Either is
// empty for a proxy that does not list what it digests.
type IndexedTool struct {
	ToolID            ToolID `json:"tool_id"`
	DescriptionSHA256 string `json:"description_sha256,omitempty"`
	SchemaSHA256      string `json:"schema_sha256,omitempty"`
}
