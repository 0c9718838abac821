//go:build !containers

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/report/cihost"
)

// reportsDir is the directory to which the pipeline publishes its reports.
const reportsDir = "reports"

func reportsArg(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return reportsDir
}

func newReportConvertCommand() *cobra.Command {
	var format, output, below string
	cmd := &cobra.Command{
		Use:   "convert [DIR]",
		Short: "Convert the annotations of a report for a CI host",
		Long: `Reads annotations.txt in DIR (default: reports), and writes it as

  github       GitHub's workflow commands
  sarif        SARIF 2.1.0: errors and warnings
  codequality  GitLab's code quality report: errors and warnings

--below gives the pipeline's directory in the repository. The paths of files are then
relative to the repository. An annotation without a file refers to pipeline.hcl.`,
		Args: arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := filepath.Join(reportsArg(args), "annotations.txt")
			f, err := os.Open(file)
			if err != nil {
				return fmt.Errorf("%w; run %s gate first", err, toolName)
			}

			defer f.Close()
			list, err := cihost.ParseAnnotations(f)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}

			below = filepath.ToSlash(filepath.Clean(below))
			cihost.Below(list, below)
			place := strings.TrimPrefix(below+"/pipeline.hcl", "./")
			var text []byte
			switch format {
			case "github":
				text = cihost.GitHub(list)
			case "sarif":
				text, err = cihost.SARIF(list, place)
			case "codequality":
				text, err = cihost.CodeQuality(list, place)
			default:
				return fmt.Errorf("unknown --format %q: use github, sarif or codequality", format)
			}

			if err != nil {
				return err
			}

			if output != "" {
				return atomicfile.WriteFile(output, text, 0o644)
			}

			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "github", "github, sarif or codequality")
	outputVar(cmd.Flags(), &output, "file", "the file to write (default: standard output)")
	cmd.Flags().StringVar(&below, "below", ".", "the pipeline's directory, relative to the repository")
	return cmd
}

func newReportCommentCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "comment [DIR]",
		Short: "Write report.md as a comment on the pull request of a GitHub job",
		Long: `Writes report.md of DIR (default: reports) as one comment on the pull request that the job
runs for. A later run changes the same comment, which it finds by a marker with --name.

It reads the job's variables GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH and
GITHUB_TOKEN. It writes no comment, and exits with 0, if the job has no pull request or if
the token may not write comments, as for a pull request from a fork.`,
		Args: arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := pullRequest(os.Getenv("GITHUB_EVENT_PATH"))
			if err != nil || number == 0 {
				return err
			}

			text, err := readlimit.File(cmd.Context(), filepath.Join(reportsArg(args), "report.md"), maxReport)
			if err != nil {
				return fmt.Errorf("%w; run %s gate first", err, toolName)
			}

			c := cihost.Comments{
				API: os.Getenv("GITHUB_API_URL"), Repository: os.Getenv("GITHUB_REPOSITORY"), Number: number,
				Token: os.Getenv("GITHUB_TOKEN"), Client: &http.Client{Timeout: time.Minute},
			}
			if c.API == "" || c.Repository == "" || c.Token == "" {
				return errors.New("GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN are not all set: run it in a " +
					"job of GitHub Actions, with the token in env")
			}

			err = c.Set(cmd.Context(), name, string(text))
			if errors.Is(err, cihost.ErrNotAllowed) {
				fmt.Fprintf(cmd.ErrOrStderr(), "no comment: %v; pull requests from forks have no such token, for "+
					"others give the job the permission pull-requests: write\n", err)
				return nil
			}

			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", "gate",
		"the name in the marker: jobs with different names have different comments")
	return cmd
}

// maxReport is the size in bytes of the largest report in Markdown, or event of GitHub.
const maxReport = 32 << 20

// pullRequest returns the number of the pull request of an event, or 0 if it has none.
func pullRequest(eventFile string) (int, error) {
	if eventFile == "" {
		return 0, nil
	}

	text, err := readlimit.File(context.Background(), eventFile, maxReport)
	if err != nil {
		return 0, err
	}

	var event struct {
		PullRequest struct {
			Number int `json:"number"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(text, &event); err != nil {
		return 0, fmt.Errorf("%s is not an event of GitHub: %w", eventFile, err)
	}

	return event.PullRequest.Number, nil
}
