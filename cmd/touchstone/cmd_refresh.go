package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

func newRefreshCommand(flags *globalFlags) *cobra.Command {
	var o refreshcorpus.Options
	var missing refreshcorpus.MissingFlag
	var dir string
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Read the tools of real servers and write the next version of the corpus",
		Long: `Installs and starts the servers that are pinned in upstreams.hcl, reads all their tools,
and writes them, with the version of every server, to corpus_v{n+1}.json in the
directory of the other corpora. Then it prints the changes since the previous corpus, and
which of them look like rug pulls.

If the pipeline declares a stage refresh-corpus, as that of this project does, the
command runs this stage with the selected executor. Without such a stage, or with --dir,
--upstreams or --corpus, it starts the servers directly.

The command uses the network and starts programs with your rights. It is not part of the
gate, its result is not cached, and it does not overwrite files. It is an error if a
server fails, lists fewer tools than before, or is no longer in upstreams.hcl. Use
--allow-missing if that is intended.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			missing.Set(&o)
			var err error
			if o.Date, err = recordedDate(); err != nil {
				return err
			}

			if f := cmd.Flags(); !f.Changed("dir") && !f.Changed("upstreams") && !f.Changed("corpus") &&
				exists(pipeline.MainFileOf(flags.file)) {
				if done, err := refreshByStage(cmd, flags, dir,
					append([]string{"--date", o.Date}, missing.Args()...)); done || err != nil {
					return err
				}
			}

			if err := nameRefreshed(&o, dir); err != nil {
				return err
			}

			o.Log = cmd.ErrOrStderr()
			r, err := refreshcorpus.Run(cmd.Context(), o)
			if err != nil {
				return stageError(err)
			}

			return printRefreshed(cmd, flags, r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "dir", "datasets", "the directory of the corpora")
	f.StringVar(&o.Upstreams, "upstreams", "", "the servers, in HCL (default: upstreams.hcl in the directory)")
	f.StringVar(&o.Previous, "corpus", "",
		"the corpus to refresh (default: the newest corpus_v*.json in the directory)")
	missing.Add(f)
	return cmd
}

// refreshStage is the stage of a pipeline that refresh runs.
const refreshStage = "refresh-corpus"

// upstreamsFile is the name of the file that names the servers.
const upstreamsFile = "upstreams.hcl"

// Outputs of the stage.
const (
	refreshedCorpus = "corpus"
	refreshedReport = "report"
)

// refreshByStage runs the pipeline's stage with additional arguments and writes
// its corpus to dir. done is false for a pipeline without such a stage.
func refreshByStage(cmd *cobra.Command, flags *globalFlags, dir string, args []string) (done bool, err error) {
	s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
	if err != nil {
		return false, err
	}

	defer s.close()
	i := slices.IndexFunc(s.plan.Instances, func(in *pipeline.Instance) bool { return in.Stage == refreshStage })
	if i < 0 {
		return false, nil
	}

	in := s.plan.Instances[i]
	if servers := flags.beside(filepath.Join(dir, upstreamsFile)); in.Off != "" && !exists(servers) {
		return true, fmt.Errorf("stage %s is off: there is no %s, which names the servers to read; "+
			"docs/how-to/refresh-the-corpus.md describes this file", refreshStage, servers)
	}

	in.Command = append(slices.Clone(in.Command), args...)
	rf := &runFlags{progress: "auto", selection: engine.Selection{Only: []string{refreshStage}}}
	var r refreshcorpus.Result
	outcomes, _, err := s.run(cmd.Context(), rf, flags.json, cmd.ErrOrStderr(), func(outcomes []*engine.Outcome) error {
		corpus, found := outcomes[i].Output(refreshedCorpus)
		report, told := outcomes[i].Output(refreshedReport)
		if !found || !told {
			return fmt.Errorf("the stage %s must have the outputs %s and %s, and both must be files", refreshStage,
				refreshedCorpus, refreshedReport)
		}

		b, err := s.store.Bytes(report.Digest)
		if err != nil {
			return err
		}

		if err := json.Unmarshal(b, &r); err != nil {
			return fmt.Errorf("the output %s of the stage %s: %w", refreshedReport, refreshStage, err)
		}

		content, err := s.store.Bytes(corpus.Digest)
		if err != nil {
			return err
		}

		name := "corpus_" + r.Version + ".json"
		if !corpusFile().MatchString(name) {
			return fmt.Errorf("the stage %s reports the version %q for the corpus; a version must be v1, v2 and so on",
				refreshStage, r.Version)
		}

		r.File = filepath.Join(dir, name)
		return refreshcorpus.WriteNew(filepath.Join(s.plan.Root, r.File), content)
	})
	if err != nil {
		return true, s.explainFailure(cmd.ErrOrStderr(), outcomes, err)
	}

	return true, printRefreshed(cmd, flags, &r)
}

func printRefreshed(cmd *cobra.Command, flags *globalFlags, r *refreshcorpus.Result) error {
	if flags.json {
		return printJSON(cmd.OutOrStdout(), r)
	}
	r.Write(cmd.OutOrStdout())
	return nil
}

var corpusFile = lazyregexp.New(`^corpus_v([0-9]{1,9})\.json$`)

// nameRefreshed sets the files and the version that were not given. The new
// version is the one after the newest corpus in dir.
func nameRefreshed(o *refreshcorpus.Options, dir string) error {
	if o.Upstreams == "" {
		o.Upstreams = filepath.Join(dir, upstreamsFile)
	}

	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}

	newest := 0
	for _, e := range entries {
		m := corpusFile().FindStringSubmatch(e.Name())
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

// recordedDate returns the date that datasets record as that of today: the date of SOURCE_DATE_EPOCH, in
// seconds since 1970, if it is set. See https://reproducible-builds.org/specs/source-date-epoch/.
func recordedDate() (string, error) {
	const name = "SOURCE_DATE_EPOCH"
	now := time.Now()
	if text := os.Getenv(name); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%s is %q; set it to the seconds since 1970, or unset it", name, text)
		}

		now = time.Unix(seconds, 0)
	}

	return now.UTC().Format(time.DateOnly), nil
}
