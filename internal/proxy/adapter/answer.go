package adapter

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"

	"github.com/touchstone-eval/touchstone/contracts"
)

// mapping extracts tools from an answer. Items is the list; the other expressions
// are evaluated for each of its items.
type mapping struct {
	Items  hcl.Expression
	ID     hcl.Expression
	Server hcl.Expression
	Name   hcl.Expression
	Score  hcl.Expression
}

// mappingBlock is a mapping with the additional attributes of a listing. An item
// is named by id, or by server and name.
type mappingBlock struct {
	Items       hcl.Expression `hcl:"items"`
	ID          hcl.Expression `hcl:"id,optional"`
	Server      hcl.Expression `hcl:"server,optional"`
	Name        hcl.Expression `hcl:"name,optional"`
	Score       hcl.Expression `hcl:"score,optional"`
	Description hcl.Expression `hcl:"description,optional"`
	Schema      hcl.Expression `hcl:"schema,optional"`
	Problem     hcl.Expression `hcl:"problem,optional"`
	SchemaDrops []string       `hcl:"schema_drops,optional"`
	SchemaAdds  hcl.Expression `hcl:"schema_adds,optional"`
	ForEach     hcl.Expression `hcl:"for_each,optional"`
	Next        hcl.Expression `hcl:"next,optional"`
	MaxItems    int            `hcl:"max_items,optional"`
	MaxLimit    int            `hcl:"max_limit,optional"`
	Describe    *bodyBlock     `hcl:"describe,block"`
	Rest        hcl.Body       `hcl:",remain"`
}

func decodeMapping(body hcl.Body) (mappingBlock, request, hcl.Diagnostics) {
	var m mappingBlock
	diags := gohcl.DecodeBody(body, nil, &m)
	if diags.HasErrors() {
		return m, request{}, diags
	}

	r, more := decodeRequest(m.Rest)
	diags = append(diags, more...)
	if !more.HasErrors() {
		diags = append(diags, nothingMore(r.Rest)...)
	}

	if given(m.ID) == (given(m.Server) && given(m.Name)) || given(m.ID) && (given(m.Server) || given(m.Name)) {
		diags = append(diags, problem(body.MissingItemRange(), "no way to name a tool",
			"Give either id (SERVER:TOOL) or both server and name."))
	}

	return m, r, diags
}

func (m mappingBlock) mapping() mapping {
	return mapping{Items: m.Items, ID: m.ID, Server: m.Server, Name: m.Name, Score: m.Score}
}

func decodeSearch(b labelledBlock) (Search, hcl.Diagnostics) {
	m, r, diags := decodeMapping(b.Body)
	if !diags.HasErrors() &&
		(given(m.Description) || given(m.Schema) || given(m.Problem) || len(m.SchemaDrops) > 0 ||
			given(m.SchemaAdds) || given(m.ForEach) || given(m.Next) || m.MaxItems != 0) {
		diags = append(diags, problem(b.Body.MissingItemRange(), "not part of a search",
			"description, problem, for_each, next, max_items and the schema attributes belong to the tools block, "+
				"where the content of the proxy is checked."))
	}

	s := Search{Path: b.Label, request: r, mapping: m.mapping(), maxLimit: m.MaxLimit}
	if m.Describe != nil {
		var more hcl.Diagnostics
		s.describe, more = decodeDescribe(m.Describe.Body)
		diags = append(diags, more...)
	}

	return s, diags
}

func decodeDescribe(body hcl.Body) (*describeBlock, hcl.Diagnostics) {
	var spec struct {
		When hcl.Expression `hcl:"when,optional"`
		Rest hcl.Body       `hcl:",remain"`
	}
	diags := gohcl.DecodeBody(body, nil, &spec)
	if diags.HasErrors() {
		return nil, diags
	}

	r, diags := decodeRequest(spec.Rest)
	if !diags.HasErrors() {
		diags = append(diags, nothingMore(r.Rest)...)
	}

	return &describeBlock{request: r, when: spec.When}, diags
}

func decodeList(body hcl.Body) (*listBlock, hcl.Diagnostics) {
	m, r, diags := decodeMapping(body)
	if !diags.HasErrors() && (given(m.Score) || m.MaxLimit != 0 || m.Describe != nil) {
		diags = append(diags, problem(body.MissingItemRange(), "not part of a listing",
			"score and describe belong to a search block, as max_limit does; the limit of a list is max_items."))
	}
	return &listBlock{
		request: r, mapping: m.mapping(), Description: m.Description, Schema: m.Schema, Problem: m.Problem,
		schemaDrops: m.SchemaDrops, SchemaAdds: m.SchemaAdds, forEach: m.ForEach, next: m.Next, maxItems: m.MaxItems,
	}, diags
}

// Answer is an answer of the proxy: Text as received, or the result of an MCP
// tool.
type Answer struct {
	Text []byte
	// JSON is used instead of Text if the answer is already decoded, such as
	// the structured content of an MCP tool.
	JSON any
}

func (a Answer) scope(s scope) scope {
	v := a.JSON
	if v == nil {
		v, _ = decodeAnswer(a.Text)
	}
	return s.with(map[string]any{"answer": v, "text": string(a.Text)})
}

// items evaluates the list in an answer.
func (m mapping) items(s scope) ([]any, error) {
	v, err := s.native(m.Items, "items")
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("items is %s but must be a list", kind(v))
	}
	return list, nil
}

// id evaluates the id of one item.
func (m mapping) id(s scope) (id contracts.ToolID, server string, err error) {
	if given(m.ID) {
		id, err = s.text(m.ID, "id")
	} else {
		var name string
		if server, err = s.text(m.Server, "server"); err != nil {
			return "", "", err
		}

		name, err = s.text(m.Name, "name")
		id = server + ":" + name
	}

	if err == nil && (id == "" || id == ":") {
		err = errors.New("the tool has no name")
	}

	return id, server, err
}

// hits extracts the tools from the answer to a search.
func (m mapping) hits(s scope) (contracts.SearchAnswer, error) {
	list, err := m.items(s)
	if err != nil {
		return contracts.SearchAnswer{}, err
	}

	answer := contracts.SearchAnswer{Tools: make([]contracts.SearchHit, 0, len(list)), Total: len(list)}
	for i, item := range list {
		one := s.with(map[string]any{"item": item})
		hit := contracts.SearchHit{}
		if hit.Name, hit.Server, err = m.id(one); err != nil {
			return answer, fmt.Errorf("item %d: %w", i+1, err)
		}

		if given(m.Score) {
			v, err := one.native(m.Score, "score")
			if err != nil {
				return answer, fmt.Errorf("item %d: %w", i+1, err)
			}

			score, ok := v.(float64)
			if !ok {
				return answer, fmt.Errorf("item %d: score is %s but must be a number", i+1, kind(v))
			}

			hit.Score = score
		}

		answer.Tools = append(answer.Tools, hit)
	}

	return answer, nil
}

// Listed is a tool in a listing of the proxy. Description and Schema are nil if
// the adapter does not map them; they are unknown then.
type Listed struct {
	ID          contracts.ToolID
	Description *string
	Schema      json.RawMessage
	Problem     string
}

// listed extracts the tools from the answer to a listing.
func (l *listBlock) listed(s scope) ([]Listed, error) {
	list, err := l.items(s)
	if err != nil {
		return nil, err
	}

	tools := make([]Listed, 0, len(list))
	for i, item := range list {
		one := s.with(map[string]any{"item": item})
		var t Listed
		if t.ID, _, err = l.id(one); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}

		if given(l.Description) {
			text, err := one.text(l.Description, "description")
			if err != nil {
				return nil, fmt.Errorf("tool %q: %w", t.ID, err)
			}

			t.Description = &text
		}

		if given(l.Schema) {
			v, err := one.native(l.Schema, "schema")
			if err != nil {
				return nil, fmt.Errorf("tool %q: %w", t.ID, err)
			}

			if t.Schema, err = json.Marshal(v); err != nil {
				return nil, fmt.Errorf("tool %q: schema: %w", t.ID, err)
			}
		}

		if t.Problem, err = one.text(l.Problem, "problem"); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.ID, err)
		}

		tools = append(tools, t)
	}

	return tools, nil
}
