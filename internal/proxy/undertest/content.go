package undertest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Tool is a tool that the proxy holds. Problem says why a listed tool cannot be
// found, or is empty. NoDescription and NoSchema mean that the proxy does not list
// the description or the schema, so that it is unknown.
type Tool struct {
	ID          contracts.ToolID
	Description string
	Schema      json.RawMessage
	Problem     string
	// Quarantine says why the proxy would quarantine the tool outside an evaluation. It is empty if it would not.
	Quarantine    string
	NoDescription bool
	NoSchema      bool
	// FoundBy is that of contracts.IndexedTool.
	FoundBy string
}

// Tools lists the tools that the proxy holds.
func (p *Proxy) Tools(ctx context.Context) ([]Tool, error) {
	tools, err := p.driver.tools(ctx, p.http, p.addr)
	if err == nil || ctx.Err() != nil {
		return tools, ctx.Err()
	}

	if !errors.Is(err, ErrNoAnswer) {
		err = p.normalizeError(p.addr, err)
	}

	return nil, p.WithLog(fmt.Errorf("list the tools of proxy %q: %w", p.Manifest.Name, err))
}

// Expected returns the tools that the proxy must list if it holds the corpus.
func (p *Proxy) Expected(corpus contracts.Corpus) ([]Tool, error) {
	return p.driver.expected(OfCorpus(p.degraded.corpus(corpus)))
}

// OfCorpus returns the tools that a proxy must hold for the corpus.
func OfCorpus(corpus contracts.Corpus) []Tool {
	tools := make([]Tool, len(corpus.Tools))
	for i, t := range corpus.Tools {
		tools[i] = Tool{ID: t.ToolID, Description: t.Description, Schema: t.Schema}
	}
	return tools
}

// ids lists the ids of a corpus's tools.
func ids(corpus contracts.Corpus) []contracts.ToolID {
	list := make([]contracts.ToolID, len(corpus.Tools))
	for i, t := range corpus.Tools {
		list[i] = t.ToolID
	}
	return list
}

// Digest returns the digests of the content of tools, sorted by id.
func Digest(tools []Tool) ([]contracts.IndexedTool, error) {
	out := make([]contracts.IndexedTool, len(tools))
	for i, t := range tools {
		schema, err := canonical(t.Schema)
		if err != nil {
			return nil, fmt.Errorf("the schema of tool %q: %w", t.ID, err)
		}

		out[i] = contracts.IndexedTool{ToolID: t.ID, FoundBy: t.FoundBy}
		if !t.NoDescription {
			out[i].DescriptionSHA256 = sum([]byte(t.Description))
		}

		if !t.NoSchema {
			out[i].SchemaSHA256 = sum(schema)
		}
	}

	slices.SortFunc(out, func(a, b contracts.IndexedTool) int { return cmp.Compare(a.ToolID, b.ToolID) })
	return out, nil
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// canonical encodes JSON with sorted keys, without white space, and with numbers in
// double precision. Two schemas are equal if a program that reads JSON as defined in
// RFC 8785 cannot tell them apart. An absent schema is null.
func canonical(raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("null"), nil
	}

	dec := json.NewDecoder(bytes.NewReader(raw))
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}

	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it is not JSON: there is more data after the value")
	}

	return json.Marshal(v)
}

// differ compares two digests. A digest that is unknown on one side is no difference.
func differ(a, b string) bool { return a != b && a != "" && b != "" }

// Differences compares two lists of digests, both sorted by id, and returns a line for
// each tool that differs.
func Differences(want, got []contracts.IndexedTool) []string {
	var lines []string
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case j < len(got) && j > 0 && got[j].ToolID == got[j-1].ToolID:
			lines = append(lines, got[j].ToolID+": listed twice")
			j++
		case j == len(got) || i < len(want) && want[i].ToolID < got[j].ToolID:
			lines = append(lines, want[i].ToolID+": missing")
			i++
		case i == len(want) || got[j].ToolID < want[i].ToolID:
			lines = append(lines, got[j].ToolID+": not expected")
			j++
		default:
			var what []string
			if differ(want[i].DescriptionSHA256, got[j].DescriptionSHA256) {
				what = append(what, "description")
			}

			if differ(want[i].SchemaSHA256, got[j].SchemaSHA256) {
				what = append(what, "schema")
			}

			if len(what) > 0 {
				lines = append(lines, fmt.Sprintf("%s: different %s", want[i].ToolID, strings.Join(what, " and ")))
			}

			i++
			j++
		}
	}

	return lines
}

// maxShown is the number of lines of a longer list that a message shows, and
// maxShownLine the number of bytes of each line.
const (
	maxShown     = 20
	maxShownLine = 500
)

// Shorten joins lines for a message and says how many it leaves out. It makes text of
// a proxy safe to print.
func Shorten(lines []string) string {
	shown := make([]string, min(len(lines), maxShown))
	for i := range shown {
		shown[i] = printable(clipped(lines[i], maxShownLine))
	}
	text := "  " + strings.Join(shown, "\n  ")
	if n := len(lines) - len(shown); n > 0 {
		text += fmt.Sprintf("\n  and %d more", n)
	}
	return text
}

// Quarantine lists the tools that the proxy would hide outside an evaluation, by id.
func Quarantine(tools []Tool) []contracts.Quarantined {
	var list []contracts.Quarantined
	for _, t := range tools {
		if t.Quarantine != "" {
			list = append(list, contracts.Quarantined{ToolID: t.ID, Reason: t.Quarantine})
		}
	}

	slices.SortFunc(list, func(a, b contracts.Quarantined) int { return cmp.Compare(a.ToolID, b.ToolID) })
	return list
}

// Unverified describes what of the tools could not be compared with the corpus. It is
// empty if everything was compared.
func Unverified(tools []contracts.IndexedTool) string {
	count := map[string]int{}
	var nothing []string
	descriptions, schemas := 0, 0
	for _, t := range tools {
		count[t.FoundBy]++
		switch {
		case t.FoundBy == contracts.FoundByNothing:
			nothing = append(nothing, t.ToolID)
			continue
		case t.FoundBy != "":
			continue
		case t.DescriptionSHA256 == "":
			descriptions++
		}

		if t.SchemaSHA256 == "" {
			schemas++
		}
	}

	var parts []string
	for _, p := range []struct {
		n    int
		text string
	}{
		{count[contracts.FoundByGiven], "%d of %d tools were given to the program, which has no list to compare"},
		{count[contracts.FoundBySearch], "%d of %d tools are not listed but found by a search, so their content was " +
			"not compared"},
		{descriptions, "the descriptions of %d of %d tools are not listed and were not compared"},
		{schemas, "the schemas of %d of %d tools are not listed and were not compared"},
		{len(nothing), "%d of %d tools are neither listed nor found by a search"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(p.text, p.n, len(tools)))
		}
	}

	text := strings.Join(parts, "; ")
	if n := len(nothing); n > 0 {
		slices.Sort(nothing)
		text += ": " + printable(strings.Join(nothing[:min(n, maxShown)], ", "))
		if n > maxShown {
			text += fmt.Sprintf(" and %d more", n-maxShown)
		}
	}

	return text
}

// CheckFound returns an error if the proxy neither lists most of the tools nor finds
// them. Figures of such a proxy would say more about what it holds than about its
// search.
func (p *Proxy) CheckFound(tools []contracts.IndexedTool) error {
	missing := 0
	for _, t := range tools {
		if t.FoundBy == contracts.FoundByNothing {
			missing++
		}
	}
	if 2*missing <= len(tools) {
		return nil
	}
	return p.WithLog(fmt.Errorf("proxy %q neither lists nor finds more than half of the tools: %s; %s", p.Manifest.Name,
		Unverified(tools), p.unlisted()))
}

// Unsearchable returns a line for each tool that is listed but cannot be found.
func Unsearchable(tools []Tool) []string {
	var lines []string
	for _, t := range tools {
		if t.Problem != "" {
			lines = append(lines, t.ID+": "+t.Problem)
		}
	}
	slices.Sort(lines)
	return lines
}
