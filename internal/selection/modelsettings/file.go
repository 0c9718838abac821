package modelsettings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/internal/base/plainhcl"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
)

// maxFile is the size of the largest settings file, in bytes.
const maxFile = 256 << 10

// file is the content of a settings file.
type file struct {
	Models []modelBlock `hcl:"model,block"`
}

type modelBlock struct {
	Name        string   `hcl:"name,label"`
	BaseURL     string   `hcl:"base_url,optional"`
	APIKey      string   `hcl:"api_key,optional"`
	Temperature *float64 `hcl:"temperature"`
	Timeout     *int     `hcl:"timeout"`
	MaxRetries  *int     `hcl:"max_retries"`
	PerMinute   float64  `hcl:"per_minute,optional"`
	Confidence  string   `hcl:"confidence,optional"`
	// SystemPrompt is a file.
	SystemPrompt      string      `hcl:"system_prompt,optional"`
	ToolChoice        string      `hcl:"tool_choice,optional"`
	ParallelToolCalls *bool       `hcl:"parallel_tool_calls"`
	Price             *priceBlock `hcl:"price,block"`
	Range             hcl.Range   `hcl:",def_range"`
}

// priceBlock is in US dollars for a million tokens.
type priceBlock struct {
	Input  float64 `hcl:"input,optional"`
	Output float64 `hcl:"output,optional"`
}

// Read reads a settings file. Its paths are relative to its directory. The error
// lists every problem with its line.
func Read(ctx context.Context, path string) (*Models, error) {
	text, err := readlimit.File(ctx, path, maxFile)
	if err != nil {
		return nil, err
	}

	return parse(ctx, path, text)
}

func parse(ctx context.Context, path string, text []byte) (*Models, error) {
	var content file
	var f *hcl.File
	diags := plainhcl.Check(text, path, "write a text in quotes, a number, true or false; $${ stands for ${",
		hclsyntax.TokenMinus)
	if !diags.HasErrors() {
		f, diags = hclparse.NewParser().ParseHCL(text, path)
	}

	if !diags.HasErrors() {
		diags = gohcl.DecodeBody(f.Body, nil, &content)
	}

	all := &Models{byName: map[string]*entry{}}
	if !diags.HasErrors() {
		for _, b := range content.Models {
			e, err := b.entry(ctx, filepath.Dir(path))
			if err == nil && all.byName[b.Name] != nil {
				err = errors.New("it has two blocks: remove one")
			}

			if err != nil {
				diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError,
					Summary: fmt.Sprintf("model %q", b.Name), Detail: err.Error(), Subject: &b.Range})
				continue
			}

			all.byName[b.Name] = e
		}
	}

	return all, problems(path, diags)
}

// problems is one error for all diagnostics, without source lines: they may hold a
// key that somebody wrote out.
func problems(path string, diags hcl.Diagnostics) error {
	var list []error
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}

		place := path
		if d.Subject != nil {
			place = fmt.Sprintf("%s:%d", path, d.Subject.Start.Line)
		}

		list = append(list, fmt.Errorf("%s: %s: %s", place, safetext.Visible(d.Summary), safetext.Visible(d.Detail)))
	}

	return errors.Join(list...)
}

// entry checks a block and reads its system prompt.
func (b modelBlock) entry(ctx context.Context, dir string) (*entry, error) {
	r, err := selection.RequestFor(b.Name)
	if err != nil {
		return nil, err
	}

	providers := model.Providers()
	if !slices.Contains(providers, r.Provider) {
		return nil, fmt.Errorf("provider %q is unknown: %s", r.Provider, closest.Remedy(r.Provider, providers))
	}

	r.BaseURL, r.Temperature, r.Timeout, r.MaxRetries = b.BaseURL, b.Temperature, b.Timeout, b.MaxRetries
	r.Confidence, r.ToolChoice, r.ParallelToolCalls = b.Confidence, b.ToolChoice, b.ParallelToolCalls
	if b.SystemPrompt != "" {
		if r.SystemPrompt, err = systemPrompt(ctx, within(dir, b.SystemPrompt)); err != nil {
			return nil, err
		}
	}

	// The block alone is checked, without what the environment says.
	if _, err := r.Resolve(func(string) string { return "" }); err != nil {
		return nil, err
	}

	e := &entry{request: r, limit: model.NewLimit(b.PerMinute)}
	if b.APIKey != "" {
		if e.key, err = b.keySource(dir); err != nil {
			return nil, err
		}
	}

	if b.Price != nil {
		e.price = model.Price{Input: b.Price.Input, Output: b.Price.Output}
	}

	for _, n := range []struct {
		name  string
		value float64
	}{{"per_minute", b.PerMinute}, {"price: input", e.price.Input}, {"price: output", e.price.Output}} {
		if n.value < 0 || math.IsInf(n.value, 0) {
			return nil, fmt.Errorf("%s is %g: give 0 or more", n.name, n.value)
		}
	}

	return e, nil
}

// keySource checks the reference to the key, and returns what reads it.
func (b modelBlock) keySource(dir string) (func() (model.Key, error), error) {
	reference := b.APIKey
	if path, ok := strings.CutPrefix(reference, "file:"); ok && path != "" {
		reference = "file:" + within(dir, path)
	}

	if err := model.CheckReference(reference); err != nil {
		return nil, fmt.Errorf("api_key: %w", err)
	}

	return func() (model.Key, error) {
		key, err := model.KeyFrom(reference, os.Getenv)
		if err != nil {
			return key, fmt.Errorf("the settings of model %q: %w", b.Name, err)
		}

		return key, nil
	}, nil
}

func systemPrompt(ctx context.Context, path string) (string, error) {
	text, err := readlimit.File(ctx, path, selection.MaxSystemPrompt)
	if err != nil {
		return "", fmt.Errorf("system_prompt: %w", err)
	}

	prompt := strings.TrimSpace(string(text))
	if prompt == "" {
		return "", fmt.Errorf("system_prompt: the file %s is empty: write the prompt, or remove the attribute", path)
	}

	return prompt, nil
}

// within is a path of the file, which is relative to its directory.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}
