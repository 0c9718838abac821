// Package buildproxy is the stage that provides the proxy under test: the
// reference proxy, which is part of this program, or a proxy that a given
// command builds from a given source.
//
// How a proxy is started and queried is defined in internal/proxy/undertest.
package buildproxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// EmbeddedIdentity returns the digest of the reference proxy's source. The
// program that contains the proxy sets it.
var EmbeddedIdentity func() string

// ReferenceName is the name of the embedded proxy.
const ReferenceName = "reference"

// Options are the inputs and outputs of the stage.
type Options struct {
	Out  string // the directory to write
	Name string // of the proxy; empty for a default
	// Identity identifies the embedded proxy; empty calls EmbeddedIdentity.
	Identity string
	// Source is the directory to build from; empty means the reference
	// proxy. Command is run in a copy of it and must produce the executable
	// file Binary there. Without a command, Binary must already be there.
	Source  string
	Binary  string
	Command []string
	// Args precede the arguments that every proxy is started with.
	Args []string
	// Adapter is the file that describes the proxy; empty for a proxy that
	// follows docs/reference/proxy-contract.md. OptionValues are its settings.
	// AdapterName is its name if the file gives none; empty means the file's name.
	Adapter      string
	AdapterName  string
	OptionValues map[string]string
	// Model is the directory of a sentence model, or empty. It is for a proxy
	// that ranks by meaning, such as the reference proxy.
	Model string
	// Detectors is a directory in which to write the detectors that the
	// adapter describes; empty to leave them out.
	Detectors string
}

// Command returns the command of the stage.
func Command() *cobra.Command {
	var opts Options
	var optionValues []string
	cmd := &cobra.Command{
		Use:   "build-proxy --out DIR [--source DIR --binary FILE [-- COMMAND...]]",
		Short: "Build the proxy under test, or select the reference proxy",
		Example: `  touchstone stage build-proxy --out proxy
  touchstone stage build-proxy --out proxy --source ../my-proxy --binary bin/my-proxy -- make
  touchstone stage build-proxy --out proxy --adapter their-proxy.hcl --source ../their-proxy -- make`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Command = args
			var err error
			if opts.OptionValues, err = ParseOptions(optionValues); err != nil {
				return err
			}

			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Out, "out", "", "the directory to write")
	f.StringVar(&opts.Name, "name", "", "the proxy's name in reports")
	f.StringVar(&opts.Identity, "identity", "", "the digest of the reference proxy's source")
	f.StringVar(&opts.Source, "source", "", "the directory to build from")
	f.StringVar(&opts.Binary, "binary", "", "the file that the command produces, relative to the source")
	f.StringArrayVar(&opts.Args, "arg", nil, "an argument to start the binary with (repeatable)")
	f.StringVar(&opts.Adapter, "adapter", "", "the description of the proxy (see docs/reference/adapters.md)")
	f.StringVar(&opts.AdapterName, "adapter-name", "", "the name of the proxy if neither --name nor the adapter gives "+
		"one (default: the name of the adapter's file)")
	f.StringArrayVar(&optionValues, "option", nil, "NAME=VALUE, a setting of the adapter (repeatable)")
	f.StringVar(&opts.Model, "model", "", "the directory of a sentence model, as printed by touchstone models path, "+
		"for a proxy that ranks by meaning")
	f.StringVar(&opts.Detectors, "detectors", "", "the directory to write the adapter's detectors to")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // the flag does not exist: a bug in this program
	}

	return cmd
}

// UsageError reports an invalid combination of options.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

// ExitCode returns the process's exit code for the error.
func (*UsageError) ExitCode() int { return 2 }

// Run runs the stage.
func Run(ctx context.Context, opts Options) error {
	if err := check(opts); err != nil {
		return err
	}

	if st, err := os.Stat(opts.Source); opts.Source != "" && (err != nil || !st.IsDir()) {
		return &UsageError{fmt.Sprintf("--source %s is not an existing directory: give the directory of the proxy's "+
			"source", opts.Source)}
	}

	if err := os.MkdirAll(opts.Out, 0o755); err != nil {
		return fmt.Errorf("create the output directory: %w", err)
	}

	var manifest contracts.ProxyManifest
	var err error
	switch {
	case opts.Adapter != "":
		manifest, err = adapted(ctx, opts)
	case opts.Source == "":
		manifest, err = embedded(opts)
	default:
		manifest, err = built(ctx, opts)
	}

	if err != nil {
		return err
	}

	if opts.Model != "" {
		if err := keepModel(&manifest, opts); err != nil {
			return err
		}
	}

	if opts.Adapter == "" && opts.Detectors != "" {
		if err := keepDetectors(nil, "", opts.Detectors); err != nil {
			return err
		}
	}

	return contracts.Write(filepath.Join(opts.Out, undertest.ManifestFile), manifest)
}

func check(opts Options) error {
	switch {
	case opts.Adapter != "":
		return nil // checkAdapted checks these
	case len(opts.OptionValues) > 0:
		return &UsageError{"--option requires an adapter: give one with --adapter, or leave the option out"}
	case opts.Source == "" && (opts.Binary != "" || len(opts.Command) > 0 || len(opts.Args) > 0):
		return &UsageError{"a build command, --binary and --arg require --source: add it, or leave them out to use " +
			"the reference proxy"}
	case opts.Source == "":
		return nil
	case opts.Identity != "":
		return &UsageError{"--identity applies to the reference proxy: a binary is identified by " +
			"its content; leave it out"}
	case opts.Binary == "":
		return &UsageError{"--source requires --binary: name the file that the build produces, relative to the source"}
	case !filepath.IsLocal(opts.Binary):
		return &UsageError{fmt.Sprintf("--binary %q is outside the source: give a path relative to the source",
			opts.Binary)}
	}

	return nil
}

func embedded(opts Options) (contracts.ProxyManifest, error) {
	m := contracts.ProxyManifest{
		Name: opts.Name, Kind: contracts.ProxyEmbedded, Args: []string{"proxy", "serve"}, Identity: opts.Identity,
	}
	if m.Name == "" {
		m.Name = ReferenceName
	}

	if m.Identity == "" && EmbeddedIdentity != nil {
		m.Identity = EmbeddedIdentity()
	}

	if m.Identity == "" {
		return m, errors.New("this program has no digest of its embedded proxy: give it with --identity")
	}

	return m, nil
}

// built runs the build and keeps only the binary.
func built(ctx context.Context, opts Options) (contracts.ProxyManifest, error) {
	m := contracts.ProxyManifest{Name: opts.Name, Kind: contracts.ProxyBinary, Args: opts.Args}
	if m.Name == "" {
		m.Name = filepath.Base(opts.Binary)
	}
	err := recipe{source: opts.Source, command: opts.Command}.run(ctx, func(work string) (err error) {
		m.Binary, m.Identity, err = keepBinary(work, opts)
		return err
	})
	return m, err
}

// recipe is how to build a source: a command, variables that are added to its
// environment, and files that are added to the source.
type recipe struct {
	source  string
	command []string
	env     map[string]string
	files   map[string][]byte // by path relative to the source
}

// run runs the command in a copy of the source, because inputs of a stage may
// be read-only, and calls use on the directory. Without a command it calls use
// on the source itself.
func (r recipe) run(ctx context.Context, use func(dir string) error) error {
	if len(r.command) == 0 {
		return use(r.source)
	}

	work, err := os.MkdirTemp("", "touchstone-build-")
	if err != nil {
		return fmt.Errorf("create a directory to build in: %w", err)
	}

	defer removeAll(work)
	if err := copyTree(work, r.source); err != nil {
		return fmt.Errorf("copy the source to build it: %w", err)
	}

	if err := r.addFiles(work); err != nil {
		return err
	}

	if err := runBuild(ctx, work, r.command, r.env); err != nil {
		return err
	}

	return use(work)
}

// addFiles writes the files into the copy of the source. A file of the source is never
// replaced: the build would be that of another proxy.
func (r recipe) addFiles(work string) error {
	for path, content := range r.files {
		path = filepath.Join(work, path)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = writeNew(path, content)
		}

		if err != nil {
			return fmt.Errorf("add a file of the adapter's build block to the source: %w: give the file another path",
				err)
		}
	}

	return nil
}

func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// keepBinary copies the proxy from dir, the directory of the build.
func keepBinary(dir string, opts Options) (name, identity string, err error) {
	name = filepath.Base(opts.Binary)
	if name == undertest.ManifestFile || name == adapterFile || name == keptDirectory {
		return "", "", &UsageError{fmt.Sprintf("--binary %q has the name of a file that is stored next to it: give "+
			"the binary another name in the build", opts.Binary)}
	}

	from := filepath.Join(dir, opts.Binary)
	info, err := os.Lstat(from)
	switch {
	case errors.Is(err, os.ErrNotExist) && len(opts.Command) == 0:
		return "", "", fmt.Errorf("the source has no file %s, and there is no build command: build it there as the "+
			"proxy's own instructions say, or give the build command after --, in a pipeline with --var "+
			"'proxy_build.command=[...]'; if the file has another name, give it with --binary, in a pipeline with "+
			"--var proxy_build.binary=FILE", opts.Binary)
	case errors.Is(err, os.ErrNotExist):
		return "", "", fmt.Errorf("the build command %q succeeded but produced no file %s: correct the command, or "+
			"name the file that it produces with --binary, in a pipeline with --var proxy_build.binary=FILE",
			opts.Command, opts.Binary)
	case err != nil:
		return "", "", fmt.Errorf("the build's result: %w", err)
	case !info.Mode().IsRegular():
		return "", "", fmt.Errorf("the build's result %s is not a regular file: correct --binary", opts.Binary)
	case info.Mode().Perm()&0o111 == 0:
		return "", "", fmt.Errorf("the build's result %s is not executable: correct --binary, or set its mode in "+
			"the build", opts.Binary)
	}

	identity, err = install(filepath.Join(opts.Out, name), from)
	return name, identity, err
}

// install copies the binary and returns its SHA-256.
func install(to, from string) (string, error) {
	src, err := os.Open(from)
	if err != nil {
		return "", fmt.Errorf("the build's result: %w", err)
	}

	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return "", fmt.Errorf("keep the build's result: %w", err)
	}

	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(dst, h), src)
	if err := errors.Join(err, dst.Close()); err != nil {
		return "", fmt.Errorf("keep the build's result: %w", err)
	}

	return hex.EncodeToString(h.Sum(nil)), nil
}
