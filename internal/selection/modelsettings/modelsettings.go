// Package modelsettings reads the settings file of models, and combines what it
// says of a model with what a command line or a request says.
//
// A file is HCL with a block for each model. It holds references to API keys and
// never a key. The key of a block is sent only to the address of the block.
package modelsettings

import (
	"os"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
)

// Models are settings of models, by provider/model. A nil Models has none.
type Models struct{ byName map[string]*entry }

// entry is what is said of one model.
type entry struct {
	request selection.SettingsRequest
	// key reads the API key, which is needed only if the model is asked.
	key   func() (model.Key, error)
	price model.Price
	limit *model.Limit
}

// Given is what a command line says of a model: the address and the API key.
type Given struct {
	BaseURL string
	Key     model.Key
}

// Give sets what a command line says of a model, in place of what the file says.
func (m *Models) Give(name string, g Given) {
	old := m.find(name)
	if old == nil {
		old = &entry{}
	}

	e := *old
	if g.BaseURL != "" && g.BaseURL != e.request.BaseURL {
		// The key of the file is for another address.
		e.request.BaseURL, e.key = g.BaseURL, nil
	}

	if !g.Key.Empty() {
		e.key = func() (model.Key, error) { return g.Key, nil }
	}

	if m.byName == nil {
		m.byName = map[string]*entry{}
	}

	m.byName[name] = &e
}

// Has reports whether something is said of a model.
func (m *Models) Has(name string) bool { return m.find(name) != nil }

// find returns the entry of a model. A recording has that of the recorded model,
// unless it has one of its own, but nothing is sent for it.
func (m *Models) find(name string) *entry {
	if m == nil {
		return nil
	}

	if e := m.byName[name]; e != nil {
		return e
	}

	recorded, ok := model.Recorded(name)
	if !ok || m.byName[recorded] == nil {
		return nil
	}

	e := &entry{request: m.byName[recorded].request}
	e.request.BaseURL = ""
	return e
}

// Fill returns a request with the settings of its model for what it leaves out. A
// request without a model means that of the environment.
func (m *Models) Fill(r selection.SettingsRequest, getenv func(string) string) selection.SettingsRequest {
	if e := m.find(r.Name(getenv)); e != nil {
		return r.Or(e.request)
	}
	return r
}

// Options adds the price, the rate and, if o has no API key, the key of a model.
func (m *Models) Options(s selection.Settings, o model.Options) (model.Options, error) {
	e := m.find(s.Provider + "/" + s.Model)
	if e == nil {
		return o, nil
	}

	o.Price, o.Limit = e.price, e.limit
	if o.Key.Empty() && e.key != nil && s.BaseURL == e.request.Address(os.Getenv) {
		var err error
		if o.Key, err = e.key(); err != nil {
			return o, err
		}
	}

	return o, nil
}

// New returns the model for settings, with what is said of it.
func (m *Models) New(s selection.Settings, o model.Options) (model.Model, error) {
	o, err := m.Options(s, o)
	if err != nil {
		return nil, err
	}
	return model.New(s, o)
}
