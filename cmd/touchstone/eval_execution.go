//go:build !containers

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/modelsettings"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
)

// evalExecution holds the flags of verbs that execute runs.
type evalExecution struct {
	settings, cassette string
	key, baseURL       string
	workers            int
	undescribed        bool
	judge              string
}

// providers adds the flags of all verbs that send requests to models.
func (e *evalExecution) providers(p *pflag.FlagSet) {
	p.StringVar(&e.settings, "settings", "",
		"a file with the settings of models: keys, addresses, temperatures, system prompts, prices")
	p.StringVar(&e.cassette, "cassette", "", "the cassette file with recorded answers, for the provider replay")
}

// asking adds the flags of verbs that ask a model with a key of their own.
func (e *evalExecution) asking(p *pflag.FlagSet) {
	e.providers(p)
	p.StringVar(&e.key, "api-key", "", "the source of the API key, env:NAME or file:PATH")
}

// addressed adds the flag of verbs that ask models which they name.
func (e *evalExecution) addressed(p *pflag.FlagSet) {
	p.StringVar(&e.baseURL, "base-url", "", "the provider's address, such as http://localhost:8000/v1")
}

// running adds the flags of how runs are executed.
func (e *evalExecution) running(p *pflag.FlagSet) {
	p.IntVar(&e.workers, "workers", 8, "the number of runs at the same time")
	p.BoolVar(&e.undescribed, "allow-undescribed", false, "also offer tools without a description")
	p.StringVar(&e.judge, "judge", "",
		"the model that judges rules in words, provider/model; without it they are not judged")
}

// evalModels are the models that a verb may ask, and how runs are executed.
type evalModels struct {
	runner.Options
	// provider is that of the models to which the flags apply.
	provider string
	given    modelsettings.Given
}

// models reads what the flags name, and opens the judge. The key and the address of the flags are
// for the models with the given names. Waits for a provider are reported to log. All requests go
// through client, or through the default one if it is nil.
func (e *evalExecution) models(ctx context.Context, log io.Writer, client *http.Client,
	names []string) (m evalModels, err error) {
	m.Options = runner.Options{Workers: e.workers, AllowUndescribed: e.undescribed, Waiting: announceWaits(log),
		Client: client, Models: &modelsettings.Models{}}
	if e.settings != "" {
		if m.Models, err = modelsettings.Read(ctx, e.settings); err != nil {
			return m, ofFlag("settings", err)
		}
	}

	m.given.BaseURL = e.baseURL
	if m.given.Key, err = model.KeyFrom(e.key, os.Getenv); err != nil {
		return m, err
	}

	if err := m.give(names); err != nil {
		return m, err
	}

	if e.cassette != "" {
		if m.Play, err = model.LoadCassette(e.cassette); err != nil {
			return m, err
		}
	}

	if e.judge != "" {
		m.Judge = &runner.Judge{}
		m.Judge.Model, m.Judge.Settings, err = m.open("judge", e.judge)
	}

	return m, err
}

// give gives the named models the key and the address of the flags. Both are for one provider.
func (m *evalModels) give(names []string) error {
	for _, name := range names {
		provider, _, _ := strings.Cut(name, "/")
		if !model.Asked(provider) || m.given == (modelsettings.Given{}) {
			continue
		}

		if m.provider != "" && provider != m.provider {
			return fmt.Errorf("--api-key and --base-url are for one provider, and these are models of %s and of %s: "+
				"write what each needs into a file, and name it with --settings", m.provider, provider)
		}

		m.provider = provider
		m.Models.Give(name, m.given)
	}

	return nil
}

// open returns the model that a flag names beside the evaluated ones. Where the settings file
// says nothing of it, one of the same provider is asked with the same key, and so is one if none
// of the evaluated models needs it.
func (m *evalModels) open(flag, name string) (model.Model, selection.Settings, error) {
	provider, _, _ := strings.Cut(name, "/")
	if (m.provider == "" || provider == m.provider) && !m.Models.Has(name) {
		if err := m.give([]string{name}); err != nil {
			return nil, selection.Settings{}, err
		}
	}

	settings, err := m.resolve(flag, name)
	if err != nil {
		return nil, settings, err
	}

	opened, err := m.Models.New(settings, model.Options{Client: m.Client, Cassette: m.Play, Waiting: m.Waiting})
	if err != nil {
		err = fmt.Errorf("--%s: %w", flag, err)
	}

	return opened, settings, err
}

// resolve gives the settings of a model that a flag names.
func (m *evalModels) resolve(flag, name string) (selection.Settings, error) {
	request, err := selection.RequestFor(name)
	if err != nil {
		return selection.Settings{}, fmt.Errorf("--%s %w", flag, err)
	}

	settings, err := m.Models.Fill(request, os.Getenv).Resolve(os.Getenv)
	if err != nil {
		err = fmt.Errorf("model %q: %w", name, err)
	}

	return settings, err
}

// resolveAll gives the settings of the models of --model.
func (m *evalModels) resolveAll(names []string) ([]selection.Settings, error) {
	all := make([]selection.Settings, len(names))
	for i, name := range names {
		var err error
		if all[i], err = m.resolve("model", name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// modelNames are the models of --model, or else the model of the environment.
func modelNames(names ...string) ([]string, error) {
	if len(names) > 0 && names[0] != "" {
		return names, nil
	}

	if os.Getenv(selection.EnvProvider) == "" || os.Getenv(selection.EnvModel) == "" {
		return nil, fmt.Errorf("no model: pass --model PROVIDER/MODEL, or set %s and %s", selection.EnvProvider,
			selection.EnvModel)
	}

	return []string{selection.SettingsRequest{}.Name(os.Getenv)}, nil
}

// minAnnouncedWait is the shortest wait for a provider that a user is told of.
const minAnnouncedWait = 2 * time.Second

// announceWaits returns a function that reports waits for a provider.
func announceWaits(log io.Writer) func(provider string, status int, wait time.Duration) {
	var mu sync.Mutex
	return func(provider string, status int, wait time.Duration) {
		if wait < minAnnouncedWait {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(log, "touchstone: provider %s answered %d; a run waits %s before it asks again\n", provider, status,
			wait.Round(100*time.Millisecond))
	}
}
