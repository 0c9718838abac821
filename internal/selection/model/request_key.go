package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// requestKey returns the digest of everything that an answer depends on, and
// the recorded model's name.
func (c *Cassette) requestKey(r Request) (key, name string) {
	name = recordedName(r.Settings)
	content := mustMarshal(struct {
		Version     int     `json:"version"`
		Model       string  `json:"model"`
		Temperature float64 `json:"temperature"`
		Confidence  string  `json:"confidence"`
		Prompt      string  `json:"prompt"`
		Query       string  `json:"query"`
		ToolChoice  string  `json:"tool_choice"`
		Parallel    *bool   `json:"parallel_tool_calls"`
		Repeat      int     `json:"repeat"`
	}{cassetteVersion, name, r.Settings.Temperature, string(r.Settings.Confidence), systemPrompt(r.Settings), r.Query,
		r.Settings.ToolChoice, r.Settings.ParallelToolCalls, max(1, r.Repeat)})
	h := sha256.New()
	// The offered tools are the last member of the object.
	h.Write(content[:len(content)-len("}")])
	h.Write([]byte(`,"tools":`))
	h.Write(c.encodedTools(r.Tools))
	h.Write([]byte("}"))
	return hex.EncodeToString(h.Sum(nil)), name
}

// recordedName is the model that is recorded, or whose recording is played, as provider/model.
func recordedName(s selection.Settings) string {
	if s.Provider == replay {
		return s.Model
	}
	return s.Provider + "/" + s.Model
}

// offeredTools are the tools of a request and their encoding.
type offeredTools struct {
	tools   []selection.Tool
	encoded []byte
}

// keptOffers bounds the kept encodings. Cases of named servers offer fewer tools, each
// case others, between the cases that offer all.
const keptOffers = 8

// encodedTools returns the encoding of offered tools for a key. Most requests
// offer the same tools as one before, and their schemas are most of what a
// key covers, so the last encodings are kept.
func (c *Cassette) encodedTools(tools []selection.Tool) []byte {
	if encoded, ok := c.keptEncoding(tools); ok {
		return encoded
	}

	kept := slices.Clone(tools)
	for i := range kept { // the caller may change its schemas
		kept[i].InputSchema = bytes.Clone(kept[i].InputSchema)
	}

	encoded := encodeTools(kept)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offered = append(c.offered, offeredTools{kept, encoded})
	if len(c.offered) > keptOffers {
		c.offered = slices.Delete(c.offered, 0, 1)
	}

	return encoded
}

// keptEncoding looks for a kept encoding, and makes it the last to be dropped.
func (c *Cassette) keptEncoding(tools []selection.Tool) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.offered,
		func(o offeredTools) bool { return slices.EqualFunc(o.tools, tools, encodedAlike) })
	if at < 0 {
		return nil, false
	}
	found := c.offered[at]
	c.offered = append(slices.Delete(c.offered, at, at+1), found)
	return found.encoded, true
}

// encodedAlike compares what encodeTools encodes.
func encodedAlike(a, b selection.Tool) bool {
	return a.Server == b.Server && a.Name == b.Name && a.Description == b.Description &&
		bytes.Equal(a.InputSchema, b.InputSchema)
}

func encodeTools(tools []selection.Tool) []byte {
	type tool struct {
		Server      string `json:"server"`
		Name        string `json:"name"`
		Offered     string `json:"offered"`
		Description string `json:"description"`
		Schema      any    `json:"schema"`
	}
	o := newOffer(tools)
	var content []tool // null if no tools are offered
	for i, t := range tools {
		content = append(content, tool{t.Server, t.Name, o.names[i], t.Description, canonical(t.InputSchema)})
	}

	return mustMarshal(content)
}

// mustMarshal encodes strings, numbers and decoded JSON, which never fails.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// canonical decodes a schema, so that its encoding depends neither on the order of
// members nor on white space. It returns text that is not JSON unchanged.
func canonical(raw json.RawMessage) any {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	return v
}
