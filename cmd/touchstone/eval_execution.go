package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
)

// evalExecution holds the flags of verbs that execute runs.
type evalExecution struct {
	key         string
	workers     int
	perMinute   float64
	cassette    string
	undescribed bool
	price       model.Price
	judge       judgeFlags
}

// providers adds the flags of all verbs that send requests to models.
func (e *evalExecution) providers(p *pflag.FlagSet) {
	p.Float64Var(&e.perMinute, "per-minute", 0, "the maximum number of requests to a provider per minute (0: no limit)")
	p.StringVar(&e.cassette, "cassette", "", "the cassette file with recorded answers, for the provider replay")
}

// asking adds the flags of verbs that ask a model with a key of their own.
func (e *evalExecution) asking(p *pflag.FlagSet) {
	e.providers(p)
	p.StringVar(&e.key, "api-key", "", "the source of the API key, env:NAME or file:PATH")
}

// running adds the flags of how runs are executed.
func (e *evalExecution) running(p *pflag.FlagSet) {
	p.IntVar(&e.workers, "workers", 8, "the number of runs at the same time")
	p.BoolVar(&e.undescribed, "allow-undescribed", false, "also offer tools without a description")
	e.judge.flags(p)
}

// flags adds all flags.
func (e *evalExecution) flags(p *pflag.FlagSet) {
	e.asking(p)
	e.running(p)
	p.Float64Var(&e.price.Input, "price-input", 0, "the price of a million input tokens in US dollars")
	p.Float64Var(&e.price.Output, "price-output", 0, "the price of a million output tokens in US dollars")
}

// options reads the key and the cassette that the flags name, and opens the judge. Waits for a
// provider are reported to log. All requests go through client, or through the default one if it
// is nil.
func (e *evalExecution) options(log io.Writer, client *http.Client) (o runner.Options, key model.Key, err error) {
	if key, err = model.KeyFrom(e.key, os.Getenv); err != nil {
		return o, key, err
	}

	o = runner.Options{Workers: e.workers, AllowUndescribed: e.undescribed, Price: e.price,
		Limits: allLimits(e.perMinute), Waiting: announceWaits(log), Client: client}
	if e.cassette != "" {
		if o.Play, err = model.LoadCassette(e.cassette); err != nil {
			return o, key, err
		}
	}

	o.Judge, err = e.judge.judge(o)
	return o, key, err
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

// allLimits holds every provider to a rate in a minute. 0 is no limit.
func allLimits(perMinute float64) *model.Limits {
	if perMinute <= 0 {
		return nil
	}
	rates := map[string]float64{}
	for _, provider := range model.Providers() {
		rates[provider] = perMinute
	}
	return model.NewLimits(rates)
}

// judgeFlags name the model that checks the described rules of cases.
type judgeFlags struct{ model, key, baseURL string }

func (f *judgeFlags) flags(p *pflag.FlagSet) {
	p.StringVar(&f.model, "judge", "",
		"the model that judges rules in words, provider/model; without it "+
			"they are not judged")
	p.StringVar(&f.key, "judge-api-key", "", "the source of the judge's API key, env:NAME or file:PATH")
	p.StringVar(&f.baseURL, "judge-base-url", "", "the address of the judge's provider")
}

// judge returns the judge, or nil if none is named.
func (f *judgeFlags) judge(o runner.Options) (*runner.Judge, error) {
	if f.model == "" {
		if f.key != "" || f.baseURL != "" {
			return nil, errors.New("--judge-api-key and --judge-base-url require --judge: name the judge")
		}

		return nil, nil
	}

	key, err := model.KeyFrom(f.key, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("--judge-api-key: %w", err)
	}

	settings, err := resolveModels([]string{f.model}, selection.SettingsRequest{BaseURL: f.baseURL})
	if err != nil {
		return nil, fmt.Errorf("--judge: %w", err)
	}

	m, err := model.New(settings[0], model.Options{Key: key, Client: o.Client, Cassette: o.Play, Limits: o.Limits,
		Waiting: o.Waiting})
	if err != nil {
		return nil, fmt.Errorf("--judge: %w", err)
	}

	return &runner.Judge{Model: m, Settings: settings[0]}, nil
}
