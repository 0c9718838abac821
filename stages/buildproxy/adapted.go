package buildproxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// adapterFile is the name of the adapter beside the manifest. It holds what
// starting and asking the proxy takes, without comments and without the build:
// the stages that read it run again only when that changes.
const adapterFile = "adapter.hcl"

// parseOptions reads NAME=VALUE words.
func parseOptions(words []string) (map[string]string, error) {
	options := map[string]string{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, &UsageError{fmt.Sprintf("--option %q is not NAME=VALUE", w)}
		}
		if _, twice := options[name]; twice {
			return nil, &UsageError{fmt.Sprintf("--option %s is given twice", name)}
		}
		options[name] = value
	}
	return options, nil
}

// adapted makes the proxy that an adapter describes.
func adapted(ctx context.Context, opts Options) (contracts.ProxyManifest, error) {
	m := contracts.ProxyManifest{Name: opts.Name, Adapter: adapterFile, Options: opts.OptionValues}
	a, err := adapter.ReadFile(opts.Adapter)
	if err != nil {
		return m, err
	}
	if m.Name == "" {
		m.Name = a.Name
	}
	if err := checkAdapted(a, &opts); err != nil {
		return m, err
	}
	text, err := a.Portable(func(block string) bool { return block != "build" && block != "detector" })
	if err != nil {
		return m, err
	}
	if a.Build != nil {
		// What remains of the build is that there is one.
		text = append(text, fmt.Sprintf("build {\n  binary = %q\n}\n", filepath.Base(opts.Binary))...)
	}
	// Options that nobody knows, or that are missing, are found now.
	if _, err := a.Run(adapter.Setting{Listen: "127.0.0.1:0", Options: opts.OptionValues}); err != nil {
		return m, err
	}
	if err := os.WriteFile(filepath.Join(opts.Out, adapterFile), text, 0o644); err != nil {
		return m, fmt.Errorf("keep the adapter: %w", err)
	}
	described, err := describedDigest(text, opts.OptionValues)
	if err != nil {
		return m, err
	}
	switch {
	case a.Build != nil:
		m.Kind = contracts.ProxyBinary
		err = buildIn(ctx, opts.Source, opts.Command, a.Build.Env, func(dir string) (err error) {
			if m.Binary, m.Identity, err = keepBinary(dir, opts); err == nil && opts.Detectors != "" {
				err = keepDetectors(a, dir, opts.Detectors)
			}
			return err
		})
		m.Identity += "+" + described
	case a.StartsTouchstone():
		m.Kind = contracts.ProxyEmbedded
		var of contracts.ProxyManifest
		of, err = embedded(Options{Identity: opts.Identity})
		m.Identity = of.Identity + "+" + described
	default:
		m.Kind, m.Identity = contracts.ProxyCommand, described
	}
	if err == nil && a.Build == nil && opts.Detectors != "" {
		err = keepDetectors(a, "", opts.Detectors)
	}
	return m, err
}

// checkAdapted refuses what does not go together, and fills in what the
// adapter says of the build.
func checkAdapted(a *adapter.Adapter, opts *Options) error {
	switch {
	case !a.DescribesProxy():
		return &UsageError{fmt.Sprintf("adapter %s describes detectors and no proxy: add a start block, or choose another adapter", a.Name)}
	case len(opts.Args) > 0:
		return &UsageError{"--arg is for proxies without an adapter: an adapter says itself which arguments its proxy gets"}
	case a.Build == nil && (opts.Source != "" || opts.Binary != "" || len(opts.Command) > 0):
		return &UsageError{fmt.Sprintf("adapter %s builds nothing: leave out --source, --binary and the build command", a.Name)}
	case a.Build == nil:
		return nil
	case opts.Source == "":
		return &UsageError{fmt.Sprintf("adapter %s is of a proxy that is built: give its source with --source DIR, in a pipeline with --var proxy_source=DIR", a.Name)}
	case opts.Identity != "":
		return &UsageError{"--identity is for proxies inside this program: a binary is identified by its content; leave it out"}
	}
	if opts.Binary == "" {
		opts.Binary = a.Build.Binary
	}
	if !filepath.IsLocal(opts.Binary) {
		return &UsageError{fmt.Sprintf("--binary %q is not inside the source: name a file relative to it", opts.Binary)}
	}
	if len(opts.Command) == 0 {
		opts.Command = a.Build.Command
	}
	return nil
}

// describedDigest is the digest of an adapter and its options.
func describedDigest(text []byte, options map[string]string) (string, error) {
	raw, err := json.Marshal(struct {
		Adapter string
		Options map[string]string
	}{string(text), options})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// keepDetectors writes into dir the detectors of the adapter and the programs
// of the build that they start. A program that the build did not leave is left
// out: whoever asks for its detector will be told.
func keepDetectors(a *adapter.Adapter, build, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the directory of the detectors: %w", err)
	}
	var text []byte
	if a != nil {
		var err error
		if text, err = a.Portable(func(block string) bool { return block == "detector" }); err != nil {
			return err
		}
		for _, d := range a.Detectors {
			if d.Binary == "" || build == "" {
				continue
			}
			_, err := install(filepath.Join(dir, filepath.Base(d.Binary)), filepath.Join(build, d.Binary))
			if errors.Is(err, os.ErrNotExist) {
				fmt.Fprintf(os.Stderr, "detector %s: the build left no file %s: it cannot be asked\n", d.Name, d.Binary)
				continue
			}
			if err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, adapter.DetectorsFile), text, 0o644); err != nil {
		return fmt.Errorf("keep the detectors: %w", err)
	}
	return nil
}
