package reference

import (
	"encoding/json"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Status is the answer to GET /api/v1/status. State is starting until every upstream
// has been indexed or has failed, then ready. Expected is the number of tools that
// upstreams listed, Indexed the number of those that can be found.
type Status struct {
	State       string           `json:"state"`
	Expected    int              `json:"expected"`
	Indexed     int              `json:"indexed"`
	Quarantined int              `json:"quarantined"`
	Upstreams   []UpstreamStatus `json:"upstreams"`
}

// The states of a proxy.
const (
	Starting = "starting"
	Ready    = "ready"
)

// UpstreamStatus is one upstream in a Status.
type UpstreamStatus struct {
	Name  string        `json:"name"`
	State UpstreamState `json:"state"`
	Tools int           `json:"tools"`
	Error string        `json:"error,omitempty"`
}

// ToolList is the answer to GET /api/v1/tools: every tool of every upstream, in the
// order of the upstreams, including tools that cannot be found.
type ToolList struct {
	Tools []ToolInfo `json:"tools"`
	Total int        `json:"total"`
}

// ToolInfo is one tool in a ToolList. Name is the tool id, "<server>:<tool>".
type ToolInfo struct {
	Name        contracts.ToolID `json:"name"`
	Server      string           `json:"server"`
	Tool        string           `json:"tool"`
	Description string           `json:"description"`
	InputSchema json.RawMessage  `json:"inputSchema"`
	State       State            `json:"state"`
	Approval    Approval         `json:"approval"`
	Findings    []Finding        `json:"findings,omitempty"`
}

func (p *Proxy) status() Status {
	cat := p.current.Load()
	st := Status{State: Starting, Upstreams: []UpstreamStatus{}}
	select {
	case <-p.settled:
		st.State = Ready
	default:
	}

	for _, e := range cat.entries {
		if e.state == StateQuarantined {
			st.Quarantined++
		} else {
			st.Indexed++
		}
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		up := UpstreamStatus{Name: s.cfg.Name, State: s.state, Tools: len(s.tools)}
		if s.err != nil {
			up.Error = s.err.Error()
		}

		st.Expected += len(s.tools)
		st.Upstreams = append(st.Upstreams, up)
	}

	return st
}

func (p *Proxy) tools() ToolList {
	list := ToolList{Tools: []ToolInfo{}}
	for _, e := range p.current.Load().entries {
		list.Tools = append(list.Tools, ToolInfo{
			Name: e.id, Server: e.server, Tool: e.tool, Description: e.description, InputSchema: e.schema,
			State: e.state, Approval: e.approval, Findings: e.findings,
		})
	}
	list.Total = len(list.Tools)
	return list
}
