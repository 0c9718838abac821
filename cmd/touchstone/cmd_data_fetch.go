package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

// digestsFile is the name of the file with the digests of the tools of a track.
const digestsFile = "digests.json"

// fetchPrefix starts the name of the stage that fetches a track.
const fetchPrefix = "fetch-"

// fetchedFrozen is the output of that stage with the digests.
const fetchedFrozen = "frozen"

// fetch is one run of touchstone data fetch.
type fetch struct {
	name, dir string
	flags     *refreshcorpus.FetchFlags
	global    *globalFlags
}

func newDataFetchCommand(flags *globalFlags) *cobra.Command {
	f := fetch{flags: &refreshcorpus.FetchFlags{}, global: flags}
	cmd := &cobra.Command{
		Use:   "fetch NAME",
		Short: "Read a corpus that is frozen by reference from its servers, and verify each tool",
		Long: `Makes the corpus of a track whose texts are not in the repository, because they belong to
others: datasets/NAME/ has its servers, their versions and the digest of each tool. Runs the
stage fetch-NAME of the pipeline, which downloads the packages, starts the servers without
network and without secrets, reads their tools and verifies each. The corpus is written to
datasets/corpus_VERSION.json, which Git ignores, and kept in the cache. From then on,
--var data=NAME runs on it without network.

A server that fails, or lists other tools than the frozen ones, is named, and nothing is
written. With --allow-missing, the other tools are written to
datasets/corpus_VERSION_incomplete.json.`,
		Example: `  touchstone data fetch real
  touchstone gate --var data=real`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.name = args[0]
			return f.run(cmd)
		},
	}
	cmd.Flags().StringVar(&f.dir, "dir", "datasets", "the directory of the corpora")
	f.flags.Add(cmd.Flags())
	return cmd
}

func (f *fetch) run(cmd *cobra.Command) error {
	if err := f.flags.Set(&refreshcorpus.FetchOptions{}); err != nil {
		return stageError(err)
	}

	if servers := f.global.beside(filepath.Join(f.dir, f.name, upstreamsFile)); !exists(servers) {
		return fmt.Errorf("there is no track %q: there is no %s, which names its servers; "+
			"docs/how-to/evaluate-on-real-servers.md describes this file", f.name, servers)
	}

	if f.flags.Default() {
		if r, err := f.there(); err != nil || r != nil {
			return errors.Join(err, f.print(cmd, r, true))
		}
	}

	r, err := f.byStage(cmd)
	if err != nil {
		return err
	}

	return f.print(cmd, r, false)
}

// there describes the corpus that an earlier fetch wrote. It returns nil if there is none, or
// another one.
func (f *fetch) there() (*refreshcorpus.Fetched, error) {
	frozen, err := contracts.Read[contracts.FrozenTools](f.global.beside(filepath.Join(f.dir, f.name, digestsFile)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	file := filepath.Join(f.dir, corpusName(frozen.Version))
	c, err := contracts.Read[contracts.Corpus](f.global.beside(file))
	if err != nil {
		return nil, nil //nolint:nilerr // a corpus that cannot be read is fetched again
	}

	r, err := refreshcorpus.Verify(&c, &frozen)
	if err != nil || len(r.Differs) > 0 {
		return nil, err
	}

	r.File = file
	return r, nil
}

// corpusName is the name of the file of a corpus.
func corpusName(version string) string { return "corpus_" + version + ".json" }

// byStage runs the stage of the track and writes its outputs.
func (f *fetch) byStage(cmd *cobra.Command) (*refreshcorpus.Fetched, error) {
	s, err := openSession(cmd.Context(), f.global, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}

	defer s.close()
	stage := fetchPrefix + f.name
	i := slices.IndexFunc(s.plan.Instances, func(in *pipeline.Instance) bool { return in.Stage == stage })
	if i < 0 {
		return nil, fmt.Errorf("the pipeline has no stage %s, which fetches this track; "+
			"docs/how-to/evaluate-on-real-servers.md describes it", stage)
	}

	in := s.plan.Instances[i]
	if in.Off != "" {
		return nil, fmt.Errorf("stage %s is off: %s", stage, in.Off)
	}

	in.Command = append(slices.Clone(in.Command), f.flags.Args()...)
	// What is not verified, or not whole, may be better the next time.
	in.Cache.Off = in.Cache.Off || !f.flags.Default()
	rf := &runFlags{progress: "auto", selection: engine.Selection{Until: []string{stage}}}
	var r refreshcorpus.Fetched
	outcomes, _, err := s.run(cmd.Context(), rf, f.global.json, cmd.ErrOrStderr(),
		func(outcomes []*engine.Outcome) error { return f.keep(s, outcomes[i], &r) })
	if err != nil {
		return nil, s.explainFailure(cmd.ErrOrStderr(), outcomes, err)
	}

	return &r, nil
}

// keep writes the corpus of a run, and with --pin the digests.
func (f *fetch) keep(s *session, outcome *engine.Outcome, r *refreshcorpus.Fetched) error {
	contents := map[string][]byte{}
	for _, name := range []string{refreshedCorpus, refreshedReport, fetchedFrozen} {
		output, ok := outcome.Output(name)
		if !ok {
			return fmt.Errorf("the stage %s%s must have the outputs %s, %s and %s, and all must be files", fetchPrefix,
				f.name, refreshedCorpus, refreshedReport, fetchedFrozen)
		}

		b, err := s.store.Bytes(output.Digest)
		if err != nil {
			return err
		}

		contents[name] = b
	}

	if err := json.Unmarshal(contents[refreshedReport], r); err != nil {
		return fmt.Errorf("the output %s of the stage %s%s: %w", refreshedReport, fetchPrefix, f.name, err)
	}

	name := corpusName(r.Version)
	if filepath.Base(name) != name {
		return fmt.Errorf("the stage %s%s reports the version %q, which cannot be a part of the name of a file",
			fetchPrefix, f.name, r.Version)
	}

	r.File = filepath.Join(f.dir, name)
	if err := atomicfile.WriteFile(filepath.Join(s.plan.Root, r.File), contents[refreshedCorpus], 0o644); err != nil {
		return err
	}

	if !f.flags.Pinned() {
		return nil
	}

	return atomicfile.WriteFile(filepath.Join(s.plan.Root, f.dir, f.name, digestsFile), contents[fetchedFrozen], 0o644)
}

func (f *fetch) print(cmd *cobra.Command, r *refreshcorpus.Fetched, there bool) error {
	if r == nil {
		return nil
	}

	if f.global.json {
		return printJSON(cmd.OutOrStdout(), r)
	}

	w := cmd.OutOrStdout()
	if there {
		fmt.Fprintf(w, "%s has all %d tools of %d servers, as they were frozen; there is nothing to fetch\n", r.File,
			r.Tools, r.Servers)
		return nil
	}

	r.Write(w)
	if len(r.Differs) > 0 {
		fmt.Fprintf(w, "next step: touchstone data migrate %s %s\n",
			filepath.Join(f.dir, "golden_"+strings.TrimSuffix(r.Version, refreshcorpus.IncompleteSuffix)+".json"),
			r.File)
	}

	return nil
}
