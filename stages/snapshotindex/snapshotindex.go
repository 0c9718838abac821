// Package snapshotindex is the stage that starts the proxy under test over
// servers that replay the corpus, waits until every tool is indexed, and
// records what the proxy really holds. A proxy that holds anything but the
// corpus, by content and not by name alone, fails here and is never scored.
//
// Nothing about queries or scores may come in.
package snapshotindex

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Options is what the stage reads and writes.
type Options struct {
	Proxy   string // the directory that build-proxy wrote
	Corpus  string
	Out     string
	Degrade string // see undertest.ParseDegrade
	// ReadyTimeout bounds the time until everything is indexed.
	ReadyTimeout time.Duration
	// Executable replays the corpus and is the embedded proxy; empty means
	// this program.
	Executable string
	// Progress is told what is being waited for.
	Progress func(message string)
}

// Command is the stage's command line.
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "snapshot-index --proxy DIR --corpus FILE --out FILE",
		Short: "Start the proxy over the corpus and record what it indexed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Progress = func(message string) { cmd.PrintErrln(message) }
			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Proxy, "proxy", "", "the directory that build-proxy wrote")
	f.StringVar(&opts.Corpus, "corpus", "", "the corpus")
	f.StringVar(&opts.Out, "out", "", "where to write the snapshot")
	f.StringVar(&opts.Degrade, "degrade", "", "harm the index on purpose: drop-descriptions, reverse-top or hide=SERVER:TOOL")
	f.DurationVar(&opts.ReadyTimeout, "ready-timeout", undertest.DefaultReadyTimeout, "how long the proxy may take to index everything")
	for _, name := range []string{"proxy", "corpus", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that does not exist: a mistake in this program
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
	self := opts.Executable
	if self == "" {
		if self, err = os.Executable(); err != nil {
			return fmt.Errorf("find this program, which replays the corpus: %w", err)
		}
	}
	byURL, err := undertest.TakesURLs(opts.Proxy)
	if err != nil {
		return err
	}
	servers, err := replay.Start(self, corpus, 0, byURL)
	if err != nil {
		return err
	}
	defer servers.Stop()
	p, err := undertest.Start(ctx, undertest.Options{
		Dir: opts.Proxy, Upstreams: servers.Upstreams, Index: degrade, Tools: undertest.IDs(corpus),
		ReadyTimeout: opts.ReadyTimeout, Executable: self, Progress: opts.Progress,
	})
	if err != nil {
		return err
	}
	defer p.Stop()
	want, err := p.Expect(corpus)
	if err != nil {
		return fmt.Errorf("corpus %s: %w", opts.Corpus, err)
	}
	tools, err := p.Tools(ctx)
	if err != nil {
		return err
	}
	got, err := undertest.Digest(tools)
	if err != nil {
		return p.WithLog(fmt.Errorf("proxy %q lists what is no tool: %w", p.Manifest.Name, err))
	}
	if lines := undertest.Differences(want, got); len(lines) > 0 {
		return p.WithLog(fmt.Errorf("proxy %q did not index the corpus: %d of %d tools differ:\n%s",
			p.Manifest.Name, len(lines), len(want), undertest.Shorten(lines)))
	}
	if lines := undertest.Unsearchable(tools); len(lines) > 0 {
		return p.WithLog(fmt.Errorf("proxy %q indexed less than the corpus: %d of %d tools are listed and cannot be found:\n%s",
			p.Manifest.Name, len(lines), len(want), undertest.Shorten(lines)))
	}
	return contracts.Write(opts.Out, contracts.IndexSnapshot{
		CorpusVersion: corpus.Version, Proxy: p.Manifest.Name, ProxyIdentity: p.Manifest.Identity, Tools: got,
	})
}
