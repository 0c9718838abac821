package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/pipeline"
)

func newFmtCommand(flags *globalFlags) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Rewrite pipeline files in the canonical layout",
		Long:  "Rewrites the given files, or the pipeline, in the canonical layout and names each that changed.\nWith --check it changes nothing and exits with 2 when a file is not in that layout.",
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{flags.file}
			}
			changed := 0
			for _, file := range files {
				src, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				formatted := pipeline.Format(src)
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
				if err := renameio.WriteFile(file, formatted, st.Mode().Perm()); err != nil {
					return err
				}
			}
			if check && changed > 0 {
				return fmt.Errorf("%d files are not formatted; run %s fmt", changed, toolName)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing, fail when a file is not formatted")
	return cmd
}
