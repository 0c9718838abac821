package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/local"
)

// cacheGCJSON is the output of cache gc --json.
type cacheGCJSON struct {
	DryRun  bool  `json:"dry_run"`
	Results int   `json:"results"`
	Blobs   int   `json:"blobs"`
	Bytes   int64 `json:"bytes"`
}

// cacheImportJSON is the output of cache import --json.
type cacheImportJSON struct {
	Results int      `json:"results"`
	Blobs   int      `json:"blobs"`
	Skipped []string `json:"skipped"`
}

func newCacheGCCommand(flags *globalFlags) *cobra.Command {
	var maxSize string
	var maxAge time.Duration
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove the least recently used results, down to a size or an age",
		Long: `Removes the least recently used results, until the cache has the size and no result is older
than the age. Also removes the files of runs that were killed.`,
		Args: cobra.NoArgs,
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, _ []string) error {
			size, err := parseSize(maxSize)
			if err != nil {
				return err
			}
			if maxAge < 0 {
				return fmt.Errorf("--max-age %s: give a duration that is not negative, or 0 for no limit", maxAge)
			}
			// For package cache, 0 means no limit. For the user, it means empty.
			result, err := store.GC(cmd.Context(), cache.GCOptions{MaxBytes: max(size, 1), MaxAge: maxAge, DryRun: dryRun})
			if err == nil && !dryRun {
				err = engine.SweepWorkDirs(cmd.Context(), store, workDirOf(store.Dir()), local.Executor{})
			}
			if err != nil {
				return err
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), cacheGCJSON{dryRun, result.Records, result.Blobs, result.Bytes})
			}
			verb := "removed"
			if dryRun {
				verb = "would remove"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %d results and %d blobs, %s\n", verb, result.Records, result.Blobs, formatSize(result.Bytes))
			return nil
		}),
	}
	cmd.Flags().StringVar(&maxSize, "max-size", defaultMaxSize, "maximum size on disk")
	cmd.Flags().DurationVar(&maxAge, "max-age", 30*24*time.Hour, "remove results not used for this long; 0 for no limit")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only report what would be removed")
	return cmd
}

func newCacheExportCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE",
		Short: "Write all results and their content to one file",
		Args:  cobra.ExactArgs(1),
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, args []string) error {
			f, err := atomicfile.Create(args[0], 0o644)
			if err != nil {
				return fmt.Errorf("exporting to %s: %w", args[0], err)
			}
			defer f.Cleanup()
			if _, err := store.Export(cmd.Context(), f); err != nil {
				return err
			}
			return f.Commit()
		}),
	}
}

func newCacheImportCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Import a file written by cache export, and verify all of it",
		Args:  cobra.ExactArgs(1),
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			result, err := store.Import(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("importing %s: %w", args[0], err)
			}
			facts := cacheImportJSON{result.Records, result.Blobs, []string{}}
			for _, s := range result.Skipped {
				facts.Skipped = append(facts.Skipped, s.Name+": "+s.Reason)
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), facts)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d results and %d blobs imported\n", facts.Results, facts.Blobs)
			for _, s := range facts.Skipped {
				fmt.Fprintln(cmd.ErrOrStderr(), "skipped", s)
			}
			return nil
		}),
	}
}
