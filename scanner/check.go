package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/check"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Check inspects one tool among the tools of its registry. Inspect must be pure
// and total: it keeps no state, changes nothing, and accepts every input,
// including the empty tool. It returns signals in a deterministic order, whose
// CheckID is that of the check, whose Tier is one of the two and whose Confidence
// is a number. The views are valid only during the call. If Inspect panics or
// returns other signals, the engine uses none of them and reports the failure in
// Coverage.
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

// ToolView is one tool as a Check sees it. The zero ToolView is an empty tool.
type ToolView struct {
	Tool

	view *tool.View // nil outside of a scan
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

// RegistryView is all tools of a scan, for checks that compare a tool with the
// others. Scanner.Registry builds it, and all workers read it.
type RegistryView struct {
	// Tools are in the order of the scan: sorted by content.
	Tools []*Tool
	// ToolsByName maps a name to the tools that have it, over all servers.
	ToolsByName map[string][]*Tool
	// ToolNames are the distinct names, sorted.
	ToolNames []string

	registry *tool.Registry
}

// Approved returns the tool as the baseline approved it, or nil.
func (r *RegistryView) Approved(server, name string) *Tool {
	return (*Tool)(r.inner().Approved(&tool.Definition{Server: server, Name: name}))
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
	return s.registry(tools, sortedOrder(tools))
}

// registry indexes tools in the given order.
func (s *Scanner) registry(tools []Tool, order []int) *RegistryView {
	r := &RegistryView{Tools: make([]*Tool, 0, len(tools)), ToolsByName: make(map[string][]*Tool, len(tools))}
	sorted := make([]*tool.Definition, 0, len(tools))
	for _, i := range order {
		t := &tools[i]
		r.Tools = append(r.Tools, t)
		sorted = append(sorted, (*tool.Definition)(t))
		if t.Name != "" {
			r.ToolsByName[t.Name] = append(r.ToolsByName[t.Name], t)
		}
	}

	r.registry = tool.NewRegistry(sorted, s.baseline)
	r.ToolNames = r.registry.Names
	return r
}
