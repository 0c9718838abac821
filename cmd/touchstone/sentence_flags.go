package main

import (
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/endpoint"
)

// sentenceFlags name a sentence model: its directory, or a service.
type sentenceFlags struct {
	dir     string
	service endpoint.Options
}

func (f *sentenceFlags) flags(p *pflag.FlagSet) {
	p.StringVar(&f.dir, "sentence-model", "", "the directory of a sentence model, as printed by touchstone models path")
	p.StringVar(&f.service.URL, "embeddings-url", "", "the address of an embeddings service without /embeddings")
	p.StringVar(&f.service.Model, "embeddings-model", "", "the model of the embeddings service")
}
