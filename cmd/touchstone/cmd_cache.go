package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

func newCacheCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Inspect, verify, trim, export and import the cache",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(flags.on(cacheFlag,
		newCacheStatsCommand(flags), newCacheListCommand(flags), newCacheVerifyCommand(flags),
		newCacheGCCommand(flags), newCacheExportCommand(flags),
	)...)
	// The pipeline may name the allowed signers.
	cmd.AddCommand(flags.on(cacheFlag|pipelineFlags, newCacheImportCommand(flags))...)
	return cmd
}

// withStore opens the cache for a command that does not need a pipeline.
func withStore(flags *globalFlags, do func(*cobra.Command, *cache.Store, []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		store, err := openStore(flags)
		if err != nil {
			return err
		}
		defer store.Close()
		return do(cmd, store, args)
	}
}

// parseSize parses a number of bytes with an optional unit.
func parseSize(s string) (int64, error) {
	units := []struct {
		suffix string
		factor float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}

		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		// Conversion is undefined for larger values and NaN: a huge limit could
		// become no limit, and empty the cache.
		if err != nil || !(n >= 0 && n*u.factor < math.MaxInt64) {
			break
		}

		return int64(n * u.factor), nil
	}

	return 0, fmt.Errorf("size %q: write a number below 8 EiB with B, KiB, MiB, GiB, KB, MB or GB", s)
}

func formatSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
}
