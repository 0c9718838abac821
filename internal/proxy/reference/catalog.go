package reference

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// toolRecord is a tool as listed by its server.
type toolRecord struct {
	id           contracts.ToolID
	server, tool string
	description  string
	schema       json.RawMessage
	outputSchema json.RawMessage
	annotations  json.RawMessage
}

func newToolRecord(server string, t *mcp.Tool) (*toolRecord, error) {
	r := &toolRecord{id: server + ":" + t.Name, server: server, tool: t.Name, description: t.Description}
	for _, part := range []struct {
		what string
		from any
		to   *json.RawMessage
	}{
		{"input schema", t.InputSchema, &r.schema},
		{"output schema", t.OutputSchema, &r.outputSchema},
	} {
		if part.from == nil {
			continue
		}

		b, err := json.Marshal(part.from)
		if err != nil {
			return nil, fmt.Errorf("the %s of its tool %q: %w", part.what, t.Name, err)
		}

		*part.to = b
	}

	if t.Annotations != nil {
		b, err := json.Marshal(t.Annotations)
		if err != nil {
			return nil, fmt.Errorf("the annotations of its tool %q: %w", t.Name, err)
		}

		r.annotations = b
	}

	return r, nil
}

func (t *toolRecord) same(o *toolRecord) bool {
	return t.description == o.description && string(t.schema) == string(o.schema) &&
		string(t.outputSchema) == string(o.outputSchema) && string(t.annotations) == string(o.annotations)
}

// Approval is the trust in the content of a tool.
//
// A tool is approved when it is first seen without a hard finding, and the approved
// content is remembered. With a hard finding it stays pending. An approved tool that
// comes back with different content and a hard finding becomes changed. Soft
// findings change nothing.
type Approval string

// The approvals.
const (
	ApprovalPending  Approval = "pending"
	ApprovalApproved Approval = "approved"
	ApprovalChanged  Approval = "changed"
)

// State determines whether a tool can be found and called.
type State string

// The states of a tool.
const (
	StateIndexed     State = "indexed"
	StateQuarantined State = "quarantined"
)

// entry is a tool with its approval and state.
type entry struct {
	*toolRecord
	state    State
	approval Approval
	findings []Finding
}

// catalog is the known state of all tools at one time. It is replaced and never
// modified.
type catalog struct {
	entries  []*entry // in the order of the upstreams and of their lists
	byID     map[contracts.ToolID]*entry
	approved map[contracts.ToolID]*toolRecord
	index    *searchIndex
}

// next judges tools, indexes those that may be found, and returns the catalogue that
// replaces c. With a model, the tools can also be found by meaning.
func (c *catalog) next(ctx context.Context, tools []*toolRecord, cfg contracts.ProxyConfig,
	model embedding.Model) (*catalog, error) {
	hard, err := quarantine(tools, c.approved)
	if err != nil {
		return nil, err
	}

	n := &catalog{byID: map[contracts.ToolID]*entry{}, approved: map[contracts.ToolID]*toolRecord{}}
	// An approval stays when the tool disappears: a server that removes a tool
	// and adds another one with the same name must not make it look new.
	for id, t := range c.approved {
		n.approved[id] = t
	}

	var searchable []*toolRecord
	for _, t := range tools {
		e := &entry{toolRecord: t, state: StateIndexed, approval: ApprovalApproved, findings: hard[t.id]}
		before, known := n.approved[t.id]
		switch {
		case len(e.findings) == 0:
			n.approved[t.id] = t
		case known && !before.same(t):
			e.state, e.approval = StateQuarantined, ApprovalChanged
		default:
			e.state, e.approval = StateQuarantined, ApprovalPending
		}

		if cfg.NoQuarantine {
			e.state = StateIndexed
		}

		n.entries = append(n.entries, e)
		n.byID[t.id] = e
		if e.state == StateIndexed {
			searchable = append(searchable, t)
		}
	}

	slices.SortFunc(searchable, func(a, b *toolRecord) int { return cmp.Compare(a.id, b.id) })
	n.index = newSearchIndex(searchable, cfg.Index)
	if model == nil {
		return n, nil
	}

	var before *embeddingIndex
	if c.index != nil {
		before = c.index.meaning
	}

	if n.index.meaning, err = newEmbeddingIndex(ctx, model, indexed(searchable, cfg.Index), before); err != nil {
		return nil, err
	}

	return n, nil
}

// search finds tools. Before the first catalogue it finds none.
func (c *catalog) search(ctx context.Context, text string, limit int) (contracts.SearchAnswer, error) {
	answer := contracts.SearchAnswer{Query: text, Tools: []contracts.SearchHit{}}
	if c.index == nil {
		return answer, nil
	}

	hits, total, err := c.index.search(ctx, text, limit)
	if err != nil {
		return answer, err
	}

	for _, h := range hits {
		t := c.byID[h.id]
		answer.Tools = append(answer.Tools, contracts.SearchHit{
			Name: t.id, Server: t.server, Description: t.description, InputSchema: t.schema, Score: h.score,
		})
	}

	answer.Total = total
	return answer, nil
}

func sortedNames(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
