package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// recordedSettings are the settings that a replay takes from the cassette. They are the same for all
// recordings of a model. What has its default is left out.
type recordedSettings struct {
	Model             string `json:"model"` // provider/model
	SystemPrompt      string `json:"system_prompt,omitempty"`
	ToolChoice        string `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool  `json:"parallel_tool_calls,omitempty"`
}

func (r recordedSettings) defaults() bool {
	return r.SystemPrompt == "" && r.ToolChoice == "" && r.ParallelToolCalls == nil
}

func (r recordedSettings) check() error {
	if r.Model == "" {
		return errors.New("it names no model")
	}

	// The length of the name is not limited here: it has that of the provider before it.
	s := selection.Settings{Provider: replay, Model: "any", SystemPrompt: r.SystemPrompt,
		ToolChoice: r.ToolChoice, ParallelToolCalls: r.ParallelToolCalls, Timeout: selection.DefaultTimeout}
	return s.Validate()
}

// difference names the first setting that differs from what was recorded, or "".
func (r recordedSettings) difference(s selection.Settings) string {
	switch {
	case s.SystemPrompt != r.SystemPrompt:
		return "system prompt"
	case s.ToolChoice != r.ToolChoice:
		return "tool choice"
	case !sameBool(s.ParallelToolCalls, r.ParallelToolCalls):
		return "setting of parallel tool calls"
	}
	return ""
}

func sameBool(a, b *bool) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// AsRecorded returns the settings of a replay with the system prompt, the tool choice and the parallel calls that the
// answers were recorded with. It fails if the settings name others. Settings of other providers stay as they are.
func (c *Cassette) AsRecorded(s selection.Settings) (selection.Settings, error) {
	if s.Provider != replay {
		return s, nil
	}

	c.mu.Lock()
	r := c.settings[s.Model]
	c.mu.Unlock()
	s.SystemPrompt, s.ToolChoice = cmp.Or(s.SystemPrompt, r.SystemPrompt), cmp.Or(s.ToolChoice, r.ToolChoice)
	if s.ParallelToolCalls == nil {
		s.ParallelToolCalls = r.ParallelToolCalls
	}

	if what := r.difference(s); what != "" {
		return s, fmt.Errorf("the answers of %s were recorded with another %s: leave the %[2]s out, or record the "+
			"answers with it", s.Model, what)
	}

	return s, s.Validate()
}

// NewRecorder returns a model that records the answers of another one. All recordings of a model have the same system
// prompt, tool choice and parallel calls, so that a replay knows which.
func NewRecorder(m Model, c *Cassette, s selection.Settings, key Key) (*Recorder, error) {
	if key.remove(s.SystemPrompt) != s.SystemPrompt {
		return nil, errors.New("the system prompt contains the API key, which would be recorded: remove it there")
	}

	name := recordedName(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.settings[name]
	for _, e := range c.entries {
		ok = ok || e.Model == name
	}

	if what := known.difference(s); ok && what != "" {
		return nil, fmt.Errorf("the cassette has answers of %s with another %s: record into another file, or with the "+
			"%[2]s of the file", name, what)
	}

	c.settings[name] = recordedSettings{Model: name, SystemPrompt: s.SystemPrompt, ToolChoice: s.ToolChoice,
		ParallelToolCalls: s.ParallelToolCalls}
	return &Recorder{model: m, cassette: c, key: key}, nil
}

// settingsInUse lists the settings for the file: those of models with recordings that are not the defaults.
func (c *Cassette) settingsInUse() []recordedSettings {
	used := map[string]recordedSettings{}
	for _, e := range c.entries {
		if s := c.settings[e.Model]; !s.defaults() {
			used[e.Model] = s
		}
	}
	return slices.SortedFunc(maps.Values(used),
		func(a, b recordedSettings) int { return cmp.Compare(a.Model, b.Model) })
}
