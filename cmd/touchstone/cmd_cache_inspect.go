package main

import (
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine/signing"
)

// cacheStatsJSON is the output of cache stats --json.
type cacheStatsJSON struct {
	Dir         string `json:"dir"`
	Results     int    `json:"results"`
	ResultBytes int64  `json:"result_bytes"`
	Blobs       int    `json:"blobs"`
	BlobBytes   int64  `json:"blob_bytes"`
}

func newCacheStatsCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Show the size and the number of entries of the cache",
		Args:  arguments.None,
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, _ []string) error {
			stats, err := store.Stats()
			if err != nil {
				return err
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(),
					cacheStatsJSON{stats.Dir, stats.Records, stats.RecordBytes, stats.Blobs, stats.BlobBytes})
			}

			fmt.Fprintf(cmd.OutOrStdout(), "directory  %s\nresults    %d\nblobs      %d\nsize       %s on disk\n",
				stats.Dir, stats.Records, stats.Blobs, formatSize(stats.RecordBytes+stats.BlobBytes))
			return nil
		}),
	}
}

// cacheListJSON is the output of cache ls --json.
type cacheListJSON struct {
	Results []cacheResult `json:"results"`
}

type cacheResult struct {
	Key      string    `json:"key"`
	Stage    string    `json:"stage"`
	Instance string    `json:"instance"`
	Bytes    int64     `json:"bytes"`
	Used     time.Time `json:"used"`
	Problem  string    `json:"problem,omitempty"`
	// Origin is nil for a result that this machine made.
	Origin *cache.Origin `json:"origin,omitempty"`
}

func newCacheListCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the cached results, the most recently used first",
		Args:  arguments.None,
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, _ []string) error {
			list := cacheListJSON{Results: []cacheResult{}}
			err := store.List(func(e cache.RecordInfo) error {
				list.Results = append(list.Results,
					cacheResult{e.Key.String(), e.Stage, e.Instance, e.Bytes, e.Used, e.Problem, e.Origin})
				return nil
			})
			if err != nil {
				return err
			}

			slices.SortStableFunc(list.Results, func(a, b cacheResult) int { return b.Used.Compare(a.Used) })
			if flags.json {
				return printJSON(cmd.OutOrStdout(), list)
			}

			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, r := range list.Results {
				note := r.Problem
				if r.Origin != nil {
					note = r.Origin.String()
				}

				fmt.Fprintf(t, "%.12s\t%s\t%s\t%s\t%s\t%s\n", r.Key, safetext.Visible(r.Stage),
					safetext.Visible(r.Instance), formatSize(r.Bytes), r.Used.Format(time.DateTime),
					safetext.Visible(note))
			}

			return t.Flush()
		}),
	}
}

// cacheVerifyJSON is the output of cache verify --json.
type cacheVerifyJSON struct {
	Results  int            `json:"results"`
	Blobs    int            `json:"blobs"`
	Problems []cacheProblem `json:"problems"`
}

type cacheProblem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Fixed  bool   `json:"fixed"`
}

func newCacheVerifyCommand(flags *globalFlags) *cobra.Command {
	var fix bool
	var allowed string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Read every result and blob and report damage",
		Long: `Reads everything in the cache and compares it with its digest. A damaged entry is never
used: a run treats it as a miss. With --fix, damaged entries are removed. The exit code is 2
if damaged entries remain.

With --allowed-signers, it also reports each result of another machine that has no valid
signature by a key on this list: one that was taken on trust, or whose signer is no longer
listed. Results that were made in this cache need no signature.`,
		Args: arguments.None,
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, _ []string) error {
			options := cache.VerifyOptions{Fix: fix}
			if allowed != "" {
				signers, err := signing.ReadAllowed(cmd.Context(), allowed)
				if err != nil {
					return err
				}

				options.Verify = verifier(signers)
			}

			result, err := store.Verify(cmd.Context(), options)
			if err != nil {
				return err
			}

			wrong := "damaged"
			if allowed != "" {
				wrong = "damaged or without an accepted signature"
			}

			facts := cacheVerifyJSON{result.Records, result.Blobs, []cacheProblem{}}
			for _, p := range result.Problems {
				facts.Problems = append(facts.Problems, cacheProblem(p))
			}

			if flags.json {
				if err := printJSON(cmd.OutOrStdout(), facts); err != nil {
					return err
				}
			} else {
				for _, p := range facts.Problems {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", p.Path, safetext.Visible(p.Reason))
				}

				fmt.Fprintf(cmd.OutOrStdout(), "%d results and %d blobs read, %d %s\n", result.Records, result.Blobs,
					len(result.Problems), wrong)
			}

			if len(result.Problems) > 0 && !fix {
				return fmt.Errorf("entries are %s; remove them with cache verify --fix (the next run computes them "+
					"again)", wrong)
			}

			return nil
		}),
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "remove the entries that are reported")
	cmd.Flags().StringVar(&allowed, "allowed-signers", "",
		"also report results of other machines that no key on this list has signed")
	return cmd
}
