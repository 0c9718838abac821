// Package snapshotindex is the stage that starts the proxy under test with
// servers that replay the corpus, waits until every tool is indexed, and records
// what the proxy holds. If the proxy does not hold exactly the corpus, compared
// by content and not only by name, the stage fails and the proxy is not scored.
//
// Queries and scores do not belong in this package.
package snapshotindex

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Options are the inputs and outputs of the stage.
type Options struct {
	Proxy   string // the directory that build-proxy wrote
	Corpus  string
	Out     string
	Degrade string // see undertest.ParseDegrade
	// ReadyTimeout limits the time until everything is indexed.
	ReadyTimeout time.Duration
	// Executable replays the corpus and contains the embedded proxy; empty
	// means this program.
	Executable string
	// KeepHome is the directory that becomes the proxy's home; empty means a
	// temporary one.
	KeepHome string
	// Progress receives messages about what the stage is waiting for.
	Progress func(message string)
}

// Command returns the command of the stage.
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "snapshot-index --proxy DIR --corpus FILE --out FILE",
		Short: "Start the proxy with the corpus and record what it indexed",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Progress = func(message string) { cmd.PrintErrln(message) }
			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Proxy, "proxy", "", "the output directory of build-proxy")
	f.StringVar(&opts.Corpus, "corpus", "", "the corpus")
	f.StringVar(&opts.Out, "out", "", "the snapshot file to write")
	f.StringVar(&opts.Degrade, "degrade", "",
		"deliberately degrade the index: drop-descriptions, reverse-top or hide=SERVER:TOOL")
	f.DurationVar(&opts.ReadyTimeout, "ready-timeout", undertest.DefaultReadyTimeout,
		"how long the proxy may take to index everything")
	f.StringVar(&opts.KeepHome, "keep-home", "",
		"use this directory, which must not exist or be empty, as the proxy's home, and keep it with its "+
			"configuration and logs")
	for _, name := range []string{"proxy", "corpus", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}

	return cmd
}

// Run runs the stage.
func Run(ctx context.Context, opts Options) error {
	degrade, err := undertest.ParseDegrade(opts.Degrade)
	if err != nil {
		return err
	}

	corpus, err := contracts.Read[contracts.Corpus](opts.Corpus)
	if err != nil {
		return err
	}

	if err := undertest.CheckHidden(degrade, corpus); err != nil {
		return err
	}

	p, err := undertest.Start(ctx, undertest.Options{
		Dir: opts.Proxy, Corpus: corpus, Index: degrade,
		ReadyTimeout: opts.ReadyTimeout, Executable: opts.Executable, Progress: opts.Progress, KeepHome: opts.KeepHome,
	})
	if err != nil {
		return err
	}

	defer p.Stop()
	tools, got, err := p.Holds(ctx, corpus)
	if err != nil {
		return err
	}

	if text := undertest.Unverified(got); text != "" && opts.Progress != nil {
		opts.Progress(text)
	}

	quarantine := undertest.Quarantine(tools)
	if n := len(quarantine); n > 0 && opts.Progress != nil {
		opts.Progress(fmt.Sprintf("the proxy would quarantine %d of %d tools, first %s: %s; they stay findable for "+
			"the evaluation", n, len(tools), quarantine[0].ToolID, quarantine[0].Reason))
	}

	return contracts.Write(opts.Out, contracts.IndexSnapshot{
		CorpusVersion: corpus.Version, Proxy: p.Manifest.Name, ProxyIdentity: p.Manifest.Identity, Tools: got,
		Quarantine: quarantine,
	})
}
