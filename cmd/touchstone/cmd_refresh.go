package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

func newRefreshCommand(flags *globalFlags) *cobra.Command {
	var o refreshcorpus.Options
	var missing refreshcorpus.MissingFlag
	var dir string
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Read the tools of real servers into the next version of the corpus",
		Long: `Installs and starts the servers that upstreams.hcl pins, reads all their tools
and writes corpus_v{n+1}.json beside the corpora that are there, with the version
of every server. Then it shows what differs, and which of the changes look like
rug pulls.

It reaches the network and starts programs with your rights. It is never part of
the gate, never cached, and never overwrites. A server that fails, lists fewer
tools than before or is not asked any more stops it, unless --allow-missing says
that this is meant.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			missing.Set(&o)
			if err := nameRefreshed(&o, dir); err != nil {
				return err
			}
			o.Log = cmd.ErrOrStderr()
			r, err := refreshcorpus.Run(cmd.Context(), o)
			if err != nil {
				return handError(err)
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), r)
			}
			r.Write(cmd.OutOrStdout())
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "dir", "datasets", "the directory of the corpora")
	f.StringVar(&o.Upstreams, "upstreams", "", "the servers, in HCL (default: upstreams.hcl in the directory)")
	f.StringVar(&o.Previous, "corpus", "", "the corpus to refresh (default: the newest corpus_v*.json in the directory)")
	f.StringVar(&o.Date, "date", time.Now().UTC().Format(time.DateOnly), "the day that the corpus names")
	missing.Add(f)
	return cmd
}

var corpusFile = regexp.MustCompile(`^corpus_v([0-9]{1,9})\.json$`)

// nameRefreshed fills in the files and the version that nobody named: those
// after the newest that is there.
func nameRefreshed(o *refreshcorpus.Options, dir string) error {
	if o.Upstreams == "" {
		o.Upstreams = filepath.Join(dir, "upstreams.hcl")
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	newest := 0
	for _, e := range entries {
		m := corpusFile.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil && n > newest {
			newest = n
		}
	}
	if o.Previous == "" && newest > 0 {
		o.Previous = filepath.Join(dir, fmt.Sprintf("corpus_v%d.json", newest))
	}
	o.Version = fmt.Sprintf("v%d", newest+1)
	o.Out = filepath.Join(dir, "corpus_"+o.Version+".json")
	return nil
}

func newCorpusCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Tell two versions of the corpus apart",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCorpusDiffCommand(flags))
	return cmd
}

// corpusDiffJSON is the shape of corpus diff --json.
type corpusDiffJSON struct {
	refreshcorpus.Diff
	RugPulls []refreshcorpus.RugPull `json:"rug_pulls"`
}

func newCorpusDiffCommand(flags *globalFlags) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Added, removed, renamed and changed tools, and changes that look like rug pulls",
		Long: `OLD and NEW are corpus files, or versions: v2 stands for corpus_v2.json in the
directory of the corpora. A tool that is gone and one that is new are taken for
the same when their descriptions, parameters and names are similar.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := readCorpus(dir, args[0])
			if err != nil {
				return err
			}
			after, err := readCorpus(dir, args[1])
			if err != nil {
				return err
			}
			d := refreshcorpus.Compare(before, after)
			pulls, err := refreshcorpus.RugPulls(before, after)
			if err != nil {
				return err
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), corpusDiffJSON{d, pulls})
			}
			d.Write(cmd.OutOrStdout())
			refreshcorpus.WriteRugPulls(cmd.OutOrStdout(), pulls)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "datasets", "the directory of the corpora")
	return cmd
}

// readCorpus reads a corpus by its path, or by its version in dir.
func readCorpus(dir, name string) (contracts.Corpus, error) {
	if _, err := os.Stat(name); err != nil && filepath.Base(name) == name && filepath.Ext(name) == "" {
		name = filepath.Join(dir, "corpus_"+name+".json")
	}
	return contracts.Read[contracts.Corpus](name)
}
