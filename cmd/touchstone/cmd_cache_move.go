package main

import (
	"fmt"
	"os"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
)

// cacheGCJSON is the shape of cache gc --json.
type cacheGCJSON struct {
	DryRun  bool  `json:"dry_run"`
	Results int   `json:"results"`
	Blobs   int   `json:"blobs"`
	Bytes   int64 `json:"bytes"`
}

// cacheImportJSON is the shape of cache import --json.
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
		Short: "Remove the results that were not used for longest, down to a size or an age",
		Args:  cobra.NoArgs,
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, _ []string) error {
			size, err := parseSize(maxSize)
			if err != nil {
				return err
			}
			if maxAge < 0 {
				return fmt.Errorf("--max-age %s: give a time that is not negative, 0 for no limit", maxAge)
			}
			// To the store 0 means no limit; to a person it means empty.
			result, err := store.GC(cmd.Context(), cache.GCOptions{MaxBytes: max(size, 1), MaxAge: maxAge, DryRun: dryRun})
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
	cmd.Flags().StringVar(&maxSize, "max-size", defaultMaxSize, "keep at most this much on disk")
	cmd.Flags().DurationVar(&maxAge, "max-age", 30*24*time.Hour, "remove what was not used for this long")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	return cmd
}

func newCacheExportCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "export FILE",
		Short: "Write all results and what they need into one file",
		Args:  cobra.ExactArgs(1),
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, args []string) error {
			f, err := renameio.NewPendingFile(args[0], renameio.WithPermissions(0o644))
			if err != nil {
				return fmt.Errorf("exporting to %s: %w", args[0], err)
			}
			defer f.Cleanup()
			if _, err := store.Export(cmd.Context(), f); err != nil {
				return err
			}
			return f.CloseAtomicallyReplace()
		}),
	}
}

func newCacheImportCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Take over what cache export wrote; everything is verified on the way in",
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
