package main

import (
	"os"

	"github.com/spf13/pflag"

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
}

// asking adds the flags of verbs that ask a model.
func (e *evalExecution) asking(p *pflag.FlagSet) {
	p.StringVar(&e.key, "api-key", "", "the API key, as env:NAME or file:PATH")
	p.Float64Var(&e.perMinute, "per-minute", 0, "the most requests to a provider in a minute (0: no limit)")
	p.StringVar(&e.cassette, "cassette", "", "the recorded answers of provider replay")
}

// flags adds those of asking and those of executing.
func (e *evalExecution) flags(p *pflag.FlagSet) {
	e.asking(p)
	p.IntVar(&e.workers, "workers", 8, "runs at the same time")
	p.BoolVar(&e.undescribed, "allow-undescribed", false, "offer tools without a description, too")
	p.Float64Var(&e.price.Input, "price-input", 0, "US dollars for a million tokens of input")
	p.Float64Var(&e.price.Output, "price-output", 0, "US dollars for a million tokens of output")
}

// options reads the key and the cassette that the flags name.
func (e *evalExecution) options() (o runner.Options, key model.Key, err error) {
	if key, err = model.KeyFrom(e.key, os.Getenv); err != nil {
		return o, key, err
	}
	o = runner.Options{Workers: e.workers, AllowUndescribed: e.undescribed, Price: e.price, Limits: allLimits(e.perMinute)}
	if e.cassette != "" {
		o.Play, err = model.LoadCassette(e.cassette)
	}
	return o, key, err
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
