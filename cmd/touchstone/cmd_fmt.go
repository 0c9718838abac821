package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func newFmtCommand(flags *globalFlags) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Rewrite pipeline files in the canonical format",
		Long: "Rewrites the given files, or the files of the pipeline, in the canonical format, and prints\nthe " +
			"name of each changed file. With --check it changes nothing, and the exit code is 2 if a\nfile is not " +
			"in that format. A file with syntax errors is not changed, and the exit code is 2.",
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				var err error
				if files, err = pipeline.Files(flags.file); errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("there is no %s here; name the file to format, or run in the directory of %s",
						pipeline.MainFileOf(flags.file), defaultFile)
				} else if err != nil {
					return err
				}
			}

			changed, refused := 0, false
			for _, file := range files {
				src, err := readlimit.File(cmd.Context(), file, pipeline.MaxSource)
				if errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("there is no %s here; name the file to format, or run in the directory of %s",
						file, defaultFile)
				}

				if err != nil {
					return err
				}

				formatted, diags, sources := pipeline.Format(src, file)
				if formatted == nil {
					printDiagnostics(cmd.ErrOrStderr(), diags, sources)
					refused = true
					continue
				}

				if bytes.Equal(src, formatted) {
					continue
				}

				changed++
				fmt.Fprintln(cmd.OutOrStdout(), file)
				if check {
					continue
				}

				st, err := os.Stat(file)
				if err != nil {
					return err
				}

				if err := atomicfile.WriteFile(file, formatted, st.Mode().Perm()); err != nil {
					return err
				}
			}

			if refused {
				return &exitError{code: exitUsage}
			}

			if check && changed > 0 {
				return fmt.Errorf("%s not formatted; run %s fmt", english.Plural(changed, "file is", "files are"),
					toolName)
			}

			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing, and fail if a file is not formatted")
	return cmd
}
