package contracts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FrozenTools freezes a corpus by reference: it says which servers list which tools, and has the
// digest of each, but none of their texts. A corpus that is read from the servers again is the
// same if the digests are.
type FrozenTools struct {
	// Version is that of the corpus.
	Version string `json:"version"`
	// SHA256 is over all tools, see DigestOfTools.
	SHA256 string `json:"sha256"`
	// Servers are sorted by name.
	Servers []FrozenServer `json:"servers"`
}

// FrozenServer is one server. Tools maps the name of each tool to its digest, see DigestOfTool.
type FrozenServer struct {
	Server  string            `json:"server"`
	Version string            `json:"version"`
	Tools   map[string]string `json:"tools"`
}

// DigestOfTool returns the SHA-256 of a tool in canonical JSON: of its name, description and
// schemas, and of its annotations.
func DigestOfTool(t *Tool) (string, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", t.ToolID, err)
	}

	canonical, err := CanonicalJSON(raw)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", t.ToolID, err)
	}

	return hexDigest(canonical), nil
}

// DigestOfTools returns the digest of all tools from their digests by id: that of one line for
// each, sorted by id, with the digest, two spaces and the id, as sha256sum prints them.
func DigestOfTools(tools map[ToolID]string) string {
	var lines strings.Builder
	for _, id := range slices.Sorted(maps.Keys(tools)) {
		fmt.Fprintf(&lines, "%s  %s\n", tools[id], id)
	}

	return hexDigest([]byte(lines.String()))
}

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
