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

// adapterFile is the name of the adapter next to the manifest. It holds what is
// needed to start and query the proxy, without comments and without the build,
// so that the stages that read it only run again when these parts change.
const adapterFile = "adapter.hcl"

// ParseOptions parses NAME=VALUE words.
func ParseOptions(words []string) (map[string]string, error) {
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

// adapted builds the proxy that an adapter describes.
func adapted(ctx context.Context, opts Options) (contracts.ProxyManifest, error) {
	m := contracts.ProxyManifest{Name: opts.Name, Adapter: adapterFile, Options: opts.OptionValues}
	a, err := adapter.ReadFile(opts.Adapter)
	if err != nil {
		return m, err
	}

	a.CallUnnamed(opts.AdapterName)
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
		// Keep only the fact that there is a build.
		text = append(text, "build {\n"...)
		if opts.Binary != "" {
			text = append(text, fmt.Sprintf("  binary = %q\n", filepath.Base(opts.Binary))...)
		}

		if len(a.Build.Keep) > 0 {
			text = append(text, "  keep = [\".\"]\n"...)
		}

		text = append(text, "}\n"...)
	}

	// Report unknown or missing options now.
	if _, err := a.Run(adapter.Setting{Listen: "127.0.0.1:0", Options: opts.OptionValues}); err != nil {
		return m, err
	}

	if err := os.WriteFile(filepath.Join(opts.Out, adapterFile), text, 0o644); err != nil {
		return m, fmt.Errorf("write the adapter: %w", err)
	}

	described, err := describedDigest(text, opts.OptionValues)
	if err != nil {
		return m, err
	}

	switch {
	case a.Build != nil:
		r := recipe{source: opts.Source, command: opts.Command, env: a.Build.Env}
		if r.files, err = a.Build.Sources(); err != nil {
			return m, err
		}

		err = r.run(ctx, func(dir string) error {
			if err := keepBuild(&m, dir, a.Build.Keep, opts); err != nil || opts.Detectors == "" {
				return err
			}

			return keepDetectors(a, dir, opts.Detectors)
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

// keepBuild keeps what the build in dir has produced: a program, files, or both.
func keepBuild(m *contracts.ProxyManifest, dir string, keep []string, opts Options) error {
	var identities []string
	m.Kind = contracts.ProxyFiles
	if opts.Binary != "" {
		m.Kind = contracts.ProxyBinary
		binary, identity, err := keepBinary(dir, opts)
		if err != nil {
			return err
		}

		m.Binary, identities = binary, append(identities, identity)
	}

	if len(keep) > 0 {
		m.Kept = keptDirectory
		identity, err := keepFiles(filepath.Join(opts.Out, keptDirectory), dir, keep)
		if err != nil {
			return err
		}

		identities = append(identities, identity)
	}

	m.Identity = strings.Join(identities, "+")
	return nil
}

// checkAdapted refuses invalid combinations of options, and fills in what the
// adapter says about the build.
func checkAdapted(a *adapter.Adapter, opts *Options) error {
	switch {
	case !a.DescribesProxy():
		return &UsageError{fmt.Sprintf("adapter %s describes detectors but no proxy: add a start block, or choose "+
			"another adapter", a.Name)}
	case opts.Model != "" && !a.ReadsModel():
		return &UsageError{fmt.Sprintf("adapter %s does not read a sentence model, so --model (proxy_model in a "+
			"pipeline) would change nothing: leave it out, or use model in the start block of the adapter", a.Name)}
	case len(opts.Args) > 0:
		return &UsageError{"--arg applies to proxies without an adapter: an adapter itself defines " +
			"the arguments of its proxy"}
	case a.Build == nil && (opts.Source != "" || opts.Binary != "" || len(opts.Command) > 0):
		return &UsageError{fmt.Sprintf("adapter %s has no build: leave out --source, --binary and the build command",
			a.Name)}
	case a.Build == nil:
		return nil
	case opts.Source == "":
		return &UsageError{fmt.Sprintf("adapter %s builds its proxy from source: give the source with --source DIR, "+
			"or in a pipeline with --var proxy_source=DIR", a.Name)}
	case opts.Identity != "":
		return &UsageError{"--identity applies to the embedded proxy: a binary is identified by " +
			"its content; leave it out"}
	}

	if opts.Binary == "" {
		opts.Binary = a.Build.Binary
	}

	if opts.Binary != "" && !filepath.IsLocal(opts.Binary) {
		return &UsageError{fmt.Sprintf("--binary %q is outside the source: give a path relative to the source",
			opts.Binary)}
	}

	if len(opts.Command) == 0 {
		opts.Command = a.Build.Command
	}

	return nil
}

// describedDigest returns the digest of an adapter and its options.
func describedDigest(text []byte, options map[string]string) (string, error) {
	raw, err := json.Marshal(struct {
		Adapter string
		Options map[string]string
	}{string(text), options})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// keepDetectors writes the detectors of the adapter into dir, with the programs
// of the build that they start. It leaves out a program that the build did not
// produce; using its detector fails with a message.
func keepDetectors(a *adapter.Adapter, build, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the directory of the detectors: %w", err)
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
				fmt.Fprintf(os.Stderr, "detector %s: the build produced no file %s, so this detector cannot run\n",
					d.Name, d.Binary)
				continue
			}

			if err != nil {
				return err
			}
		}
	}

	if err := os.WriteFile(filepath.Join(dir, adapter.DetectorsFile), text, 0o644); err != nil {
		return fmt.Errorf("write the detectors: %w", err)
	}

	return nil
}
