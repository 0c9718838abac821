package scanner

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/check"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Check inspects one tool among the tools of its registry. Inspect must be pure
// and total: it keeps no state, and accepts every input, including the empty tool.
// It returns signals in a deterministic order, whose CheckID is that of the check,
// whose Tier is one of the two, whose ThreatType is one of the known ones or empty, and whose
// Confidence is a number. The views are valid only during the call. They are copies:
// what Inspect changes in them, no other check and no other tool sees. If Inspect
// panics or returns other signals, the engine uses none of them, reports the failure
// in Coverage, and the tool is to be reviewed.
type Check interface {
	ID() string
	Inspect(tool *ToolView, registry *RegistryView) []Signal
}

// CheckInfo describes a built-in check. Tier is the highest tier that it
// reports.
type CheckInfo struct {
	ID          string     `json:"id"`
	Tier        Tier       `json:"tier"`
	ThreatType  ThreatType `json:"threat_type"`
	Description string     `json:"description"`
	Why         string     `json:"why"` // why what it finds is dangerous
	Do          string     `json:"do"`  // what a maintainer should do
}

// Checks describes every built-in check, in reporting order.
func Checks() []CheckInfo {
	var infos []CheckInfo
	for _, c := range check.All() {
		infos = append(infos, CheckInfo{
			ID: c.Info.ID, Tier: c.Info.Tier, ThreatType: c.Info.ThreatType, Description: c.Info.Description,
			Why: c.Info.Why, Do: c.Info.Do,
		})
	}
	return infos
}

// ToolView is one tool as a Check sees it: a copy. The zero ToolView is an empty tool.
type ToolView struct {
	Tool

	view *tool.View // for NormalizedText
}

// NormalizedText returns all text of the tool, one field a line. Compatibility
// forms are folded, invisible characters are removed, and letters are in lower
// case.
func (v *ToolView) NormalizedText() string {
	if v.view == nil {
		v.view = new(tool.View)
		v.view.Load((*tool.Definition)(&v.Tool))
	}
	return v.view.NormalizedText()
}

// clone returns a copy that shares no memory with the tool.
func (t *Tool) clone() Tool {
	c := *t
	for _, raw := range []*json.RawMessage{&c.InputSchema, &c.OutputSchema, &c.Annotations, &c.Extra} {
		*raw = bytes.Clone(*raw)
	}
	return c
}

// RegistryView is all tools of a scan, for checks that compare a tool with the
// others. Scanner.Registry builds it, and all workers read it. Its methods return
// copies, so that no check can change what another one sees.
type RegistryView struct {
	tools []*Tool // in the order of the scan: sorted by content

	registry *tool.Registry
}

// Tools yields every tool, in the order of the scan: sorted by content.
func (r *RegistryView) Tools() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		if r == nil {
			return
		}
		for _, t := range r.tools {
			if !yield(t.clone()) {
				return
			}
		}
	}
}

// Named returns the tools with a name, over all servers.
func (r *RegistryView) Named(name string) []Tool {
	registry := r.inner()
	if registry == nil {
		return nil
	}

	named := registry.ByName[name]
	tools := make([]Tool, len(named))
	for i, t := range named {
		tools[i] = (*Tool)(t).clone()
	}

	return tools
}

// Names returns the distinct names of tools, sorted.
func (r *RegistryView) Names() []string {
	registry := r.inner()
	if registry == nil {
		return nil
	}
	return slices.Clone(registry.Names)
}

// Approved returns the tool as the baseline approved it. ok is false if it did not.
func (r *RegistryView) Approved(server, name string) (approved Tool, ok bool) {
	t := r.inner().Approved(&tool.Definition{Server: server, Name: name})
	if t == nil {
		return Tool{}, false
	}
	return (*Tool)(t).clone(), true
}

// inner returns the index that the built-in checks use, or nil if there is
// none.
func (r *RegistryView) inner() *tool.Registry {
	if r == nil {
		return nil
	}
	return r.registry
}

// Registry prepares tools for ScanOne.
func (s *Scanner) Registry(tools []Tool) *RegistryView {
	all := pointersTo(tools)
	return s.registry(all, sortedOrder(all))
}

// registry indexes tools in the given order.
func (s *Scanner) registry(tools []*Tool, order []int) *RegistryView {
	r := &RegistryView{tools: make([]*Tool, 0, len(tools))}
	sorted := make([]*tool.Definition, 0, len(tools))
	for _, i := range order {
		r.tools = append(r.tools, tools[i])
		sorted = append(sorted, (*tool.Definition)(tools[i]))
	}

	r.registry = tool.NewRegistry(sorted, s.baseline)
	return r
}
