package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/local"
	"github.com/touchstone-eval/touchstone/internal/engine/signing"
)

// cacheGCJSON is the output of cache gc --json.
type cacheGCJSON struct {
	DryRun  bool  `json:"dry_run"`
	Results int   `json:"results"`
	Blobs   int   `json:"blobs"`
	Bytes   int64 `json:"bytes"`
}

// cacheImportJSON is the output of cache import --json. Signed counts the results whose signature
// was verified, and Signers lists who signed them. The other results were taken on trust.
type cacheImportJSON struct {
	Results int            `json:"results"`
	Blobs   int            `json:"blobs"`
	Signed  int            `json:"signed"`
	Signers []cache.Signer `json:"signers"`
	Skipped []string       `json:"skipped"`
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
		Args: arguments.None,
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, _ []string) error {
			size, err := parseSize(maxSize)
			if err != nil {
				return err
			}

			if maxAge < 0 {
				return fmt.Errorf("--max-age %s: give a duration that is not negative, or 0 for no limit", maxAge)
			}

			// For package cache, 0 means no limit. For the user, it means empty.
			result, err := store.GC(cmd.Context(),
				cache.GCOptions{MaxBytes: max(size, 1), MaxAge: maxAge, DryRun: dryRun})
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

			fmt.Fprintf(cmd.OutOrStdout(), "%s %d results and %d blobs, %s\n", verb, result.Records, result.Blobs,
				formatSize(result.Bytes))
			return nil
		}),
	}
	cmd.Flags().StringVar(&maxSize, "max-size", defaultMaxSize, "maximum size on disk")
	cmd.Flags().DurationVar(&maxAge, "max-age", 30*24*time.Hour,
		"remove results not used for this long; 0 for no limit")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only report what would be removed")
	return cmd
}

func newCacheExportCommand(flags *globalFlags) *cobra.Command {
	var ref string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write all results and their content to one file",
		Long: `Writes all results and their content to one file, for cache import on another machine.

With --sign, each result that this machine made is signed by a key of OpenSSH, so that others
can see that it is yours. KEY is the file of a private key, or env:NAME for an environment
variable that holds the key itself. The key of an encrypted file, or of the file of a public
key, is used through ssh-agent. Results that another machine made keep the signature that they
came with. Those without one are left out: a signature says that its holder made the result.

A file of the archive can be verified without touchstone. After tar --zstd -xf FILE:

  ssh-keygen -Y verify -n touchstone -f ALLOWED_SIGNERS -I NAME -s signatures/KEY <records/KEY`,
		Args: arguments.Exactly(1),
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, args []string) error {
			var options cache.ExportOptions
			by := ""
			if ref != "" {
				key, err := signing.OpenKey(cmd.Context(), ref, os.LookupEnv)
				if err != nil {
					return err
				}

				defer key.Close()
				options.Sign, by = key.Sign, " by "+key.Fingerprint()
			}

			f, err := atomicfile.Create(args[0], 0o644)
			if err != nil {
				return fmt.Errorf("exporting to %s: %w", args[0], err)
			}

			defer f.Cleanup()
			result, err := store.Export(cmd.Context(), f, options)
			if err != nil {
				return err
			}

			if err := f.Commit(); err != nil {
				return err
			}

			// The archive may be written to standard output.
			stderr := cmd.ErrOrStderr()
			fmt.Fprintf(stderr, "%s and %s exported to %s", english.Plural(result.Records, "result", ""),
				english.Plural(result.Blobs, "blob", ""), args[0])
			if result.Signed > 0 {
				fmt.Fprintf(stderr, ", %d signed%s", result.Signed, by)
			}

			fmt.Fprintln(stderr)
			for _, s := range result.Skipped {
				fmt.Fprintf(stderr, "skipped %s: %s\n", s.Name, safetext.Visible(s.Reason))
			}

			return nil
		}),
	}
	cmd.Flags().StringVar(&ref, "sign", "",
		"sign the results of this machine with a key of OpenSSH: a file, or env:NAME")
	return cmd
}

func newCacheImportCommand(flags *globalFlags) *cobra.Command {
	var trust bool
	var allowed string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import results of another machine, if they are signed or you trust them",
		Long: `Imports a file that cache export wrote.

Import verifies that the file is complete and that all content matches its digests. It cannot
verify that the outputs of a result are what its stage makes: whoever wrote the file could have
put a false result under the right key. So the results must be signed, or you must trust the file:

  --allowed-signers FILE   every result must be signed by a key on this list. FILE has the
                           format of git and ssh-keygen: NAME KEYTYPE KEY. Without the flag, it
                           is $TOUCHSTONE_ALLOWED_SIGNERS, or else the pipeline's trust block.
                           If one result lacks a valid signature, the file is rejected.
  --trust                  you trust whoever wrote the file, as if its results were your own

Without either, nothing is imported. plan, explain, cache ls and the reports show where the
results come from. A result that this machine made is never replaced.`,
		Args: arguments.Exactly(1),
		RunE: withStore(flags, func(cmd *cobra.Command, store *cache.Store, args []string) error {
			options := cache.ImportOptions{From: filepath.Base(args[0]), Trust: trust}
			var signers *signing.Allowed
			var err error
			if !trust || allowed != "" {
				if signers, err = flags.allowedSigners(cmd.Context(), allowed, cmd.ErrOrStderr()); err != nil {
					return err
				}
			}

			switch {
			case signers != nil:
				options.Verify = verifier(signers)
			case !trust:
				return fmt.Errorf("importing %s: nothing was imported: %[1]s is not trusted: pass --allowed-signers "+
					"FILE or --trust; %[2]s", args[0], importRemedy)
			}

			f, err := openInput(args[0], trust)
			if err != nil {
				return err
			}

			defer f.Close()
			result, err := store.Import(cmd.Context(), f, options)
			if errors.As(err, new(*cache.UnverifiedError)) {
				return fmt.Errorf("importing %s: %w; %s", args[0], err, importRemedy)
			}

			if err != nil {
				return fmt.Errorf("importing %s: %w", args[0], err)
			}

			return printImport(cmd, flags, args[0], result)
		}),
	}
	cmd.Flags().BoolVar(&trust, "trust", false, "take it on trust that the results are true")
	cmd.Flags().StringVar(&allowed, "allowed-signers", "",
		"the list of keys whose signed results are accepted (default: $"+envAllowedSigners+", or else the pipeline's)")
	return cmd
}

const importRemedy = "ask for an archive that \"cache export --sign KEY\" wrote, and name the file that lists the " +
	"signer's key with --allowed-signers; or give --trust if you trust whoever wrote this one " +
	"as you trust your own runs"

// openInput opens an archive. It is read twice unless it is taken on trust.
func openInput(name string, trust bool) (*os.File, error) {
	// Opening a pipe waits for its writer.
	if st, err := os.Stat(name); !trust && err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("importing %s: it is not a regular file, and the signatures are checked before "+
			"anything is imported; save it to a file first", name)
	}
	return os.Open(name)
}

// printImport says what was verified and what was taken on trust.
func printImport(cmd *cobra.Command, flags *globalFlags, from string, result cache.Transfer) error {
	facts := cacheImportJSON{result.Records, result.Blobs, result.Signed, append([]cache.Signer{}, result.Signers...),
		[]string{}}
	for _, s := range result.Skipped {
		facts.Skipped = append(facts.Skipped, s.Name+": "+s.Reason)
	}

	stdout := cmd.OutOrStdout()
	if flags.json {
		return printJSON(stdout, facts)
	}

	fmt.Fprintf(stdout, "%s and %s imported from %s\n", english.Plural(facts.Results, "result", ""),
		english.Plural(facts.Blobs, "blob", ""), from)
	if facts.Results > 0 {
		fmt.Fprintln(stdout, "verified: all content matches its digests")
	}

	for _, s := range facts.Signers {
		fmt.Fprintf(stdout, "verified: signed by %s\n", &s)
	}

	if n := facts.Results - facts.Signed; n > 0 {
		fmt.Fprintf(stdout, "on trust: the outputs of %s are what the stages make\n", english.Plural(n, "result", ""))
	}

	for _, s := range facts.Skipped {
		fmt.Fprintln(cmd.ErrOrStderr(), "skipped", safetext.Visible(s))
	}

	return nil
}
