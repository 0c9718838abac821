//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/endpoint"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/models"
)

// embeddingsFlag names a sentence model: one that was added, a directory, or a service.
type embeddingsFlag struct{ spec string }

func (f *embeddingsFlag) flags(p *pflag.FlagSet) {
	p.StringVar(&f.spec, "embeddings", "", "the sentence model: the name of one that was added (touchstone models "+
		"list), a directory, or URL#MODEL for an OpenAI-compatible service, without /embeddings")
}

// open returns the model, or nil if none is named.
func (f *embeddingsFlag) open() (embedding.Model, error) {
	if f.spec == "" {
		return nil, nil
	}

	model, err := f.named()
	if err != nil {
		return nil, fmt.Errorf("--embeddings: %w", err)
	}

	return model, nil
}

func (f *embeddingsFlag) named() (embedding.Model, error) {
	if strings.Contains(f.spec, "://") {
		address, name, _ := strings.Cut(f.spec, "#")
		if name == "" {
			return nil, errors.New("name the model of the service after a #, as in http://127.0.0.1:8080/v1#MODEL")
		}

		return endpoint.New(endpoint.Options{URL: address, Model: name})
	}

	known, unknown := models.Find(f.spec)
	if unknown == nil {
		store, err := modelStore(&globalFlags{})
		if err != nil {
			return nil, err
		}

		return store.Open(known)
	}

	if _, err := os.Stat(f.spec); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no directory %s, and %w", f.spec, unknown)
	}

	return models.OpenDirectory(f.spec)
}
