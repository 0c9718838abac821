//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity/gather"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// evalSimilarFlags are those of touchstone eval similar.
type evalSimilarFlags struct {
	*evalFlags
	lists, only []string
	method      string
	threshold   float64
	show        []string
	embeddings  embeddingsFlag
}

func newEvalSimilarCommand(e *evalFlags) *cobra.Command {
	f := &evalSimilarFlags{evalFlags: e}
	cmd := &cobra.Command{
		Use:   "similar [SERVER...]",
		Short: "Find tools that a model may confuse, and what sets them apart",
		Long: `Compare the tools of servers pair by pair, and list the pairs whose similarity reaches
the threshold. SERVER is the name of a server in the database, or the http or https
address of one. --tools compares the tools in files instead, - for standard input.
Nothing is stored.

Methods:
  embedding            cosine similarity of sentence vectors of name and description;
                       needs --embeddings
  tfidf                the words of name and description
  description_overlap  the words of the description

--show adds to the list of pairs:
  matrix           the overlap matrix, which weighs meaning .5, parameters .3 and
                   description .2, and its clusters
  parameters       a second score, which compares the parameters, too
  recommendations  what to change in a pair. It proposes no text: that is the work of the
                   author, or of a model, see touchstone eval improve`,
		Example: `  touchstone eval similar --tools tools.json --threshold 0.6 --show recommendations
  touchstone eval similar files git --show matrix,parameters
  touchstone eval similar https://localhost:3000/mcp --embeddings use-lite-en`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	p := cmd.Flags()
	p.StringArrayVar(&f.lists, "tools", nil, "compare the tools of this file, in any form that scan reads (repeatable)")
	p.StringArrayVar(&f.only, "tool", nil, "keep the tool with this name or id, server:name (repeatable)")
	p.StringVar(&f.method, "method", "", "embedding, tfidf or description_overlap (default: embedding with a model, "+
		"else tfidf)")
	p.Float64Var(&f.threshold, "threshold", 0,
		fmt.Sprintf("the least similarity that is listed, 0 to 1 (default %g for embedding, %g for the other methods)",
			similarity.Embedding.DefaultThreshold(), similarity.TFIDF.DefaultThreshold()))
	p.StringSliceVar(&f.show, "show", nil, "also print this: "+strings.Join(similarParts, ", ")+" (repeatable)")
	f.embeddings.flags(p)
	return cmd
}

// The values of --show of eval similar.
const (
	showMatrix          = "matrix"
	showParameters      = "parameters"
	showRecommendations = "recommendations"
)

var similarParts = []string{showMatrix, showParameters, showRecommendations}

func (f *evalSimilarFlags) shows(part string) bool { return slices.Contains(f.show, part) }

// evalSimilar is what eval similar prints as JSON. The matrices are there with
// --show matrix.
type evalSimilar struct {
	*similarity.Analysis
	Overlap *similarity.OverlapMatrix `json:"overlap,omitempty"`
}

func (f *evalSimilarFlags) run(cmd *cobra.Command, names []string) error {
	for _, part := range f.show {
		if !slices.Contains(similarParts, part) {
			return fmt.Errorf("--show %q is unknown: use %s", part, strings.Join(similarParts, ", "))
		}
	}

	encoder, err := f.embeddings.open()
	if err != nil {
		return err
	}

	o := similarity.Options{Method: similarity.Method(f.method), Threshold: f.threshold, Full: f.shows(showParameters),
		Recommendations: f.shows(showRecommendations)}
	if encoder != nil {
		o.Encoder = encoder
	}

	switch {
	case f.method == "" && encoder != nil:
		o.Method = similarity.Embedding
	case f.method == "":
		o.Method = similarity.TFIDF
	case o.Method == similarity.Embedding && encoder == nil:
		return errors.New("--method embedding needs a sentence model: name one with --embeddings, or use --method " +
			"tfidf")
	}

	if !cmd.Flags().Changed("threshold") {
		o.Threshold = o.Method.DefaultThreshold()
	}

	source, err := f.source(cmd, names)
	if err != nil {
		return err
	}

	tools, err := gather.Tools(cmd.Context(), f.live(), source)
	var unlisted *gather.ListError
	switch {
	case errors.As(err, &unlisted):
		return &exitError{exitStageFailed, err}
	case err != nil:
		return err
	}

	result := evalSimilar{}
	if result.Analysis, err = similarity.Analyze(cmd.Context(), tools, o); err != nil {
		return err
	}

	if f.shows(showMatrix) {
		if result.Overlap, err = similarity.Overlap(cmd.Context(), tools, o.Encoder, o.Threshold); err != nil {
			return err
		}
	} else {
		result.Matrix, result.Analysis.Full = nil, nil
	}

	return f.print(cmd.OutOrStdout(), result, result.write)
}

// source finds the servers and reads the lists that the command line names.
func (f *evalSimilarFlags) source(cmd *cobra.Command, names []string) (source gather.Source, err error) {
	if (len(names) > 0) == (len(f.lists) > 0) {
		return source, errors.New("give the tools from exactly one place: servers, or files with --tools")
	}

	source.Only = f.only
	if len(f.lists) > 0 {
		source.Given, err = gather.Files(cmd.Context(), f.lists, cmd.InOrStdin())
		if err == nil && len(source.Given) == 0 {
			err = fmt.Errorf("there are no tools in %s", strings.Join(f.lists, ", "))
		}

		return source, err
	}

	source.Servers, err = f.servers(cmd, names)
	return source, err
}

// servers finds servers of the database by their names, and those at addresses.
func (f *evalFlags) servers(cmd *cobra.Command, names []string) (servers []selection.Server, err error) {
	var s *store.Store
	defer func() {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, name := range names {
		var server selection.Server
		switch {
		case strings.Contains(name, "://"):
			if server, err = gather.ServerAt(name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}

			servers = append(servers, server)
			continue
		case s == nil:
			if s, err = f.existing(cmd.Context()); err != nil {
				return nil, err
			}
		}

		if server, err = s.ServerNamed(cmd.Context(), name); err != nil {
			return nil, err
		}

		servers = append(servers, server)
	}

	return servers, nil
}

// widest is the largest matrix that is printed as a table.
const widest = 20

func (s evalSimilar) write(w io.Writer) {
	pairs := "pairs"
	if len(s.Flagged) == 1 {
		pairs = "pair"
	}

	fmt.Fprintf(w, "%d tools, %d %s at %s %.2f or more\n", len(s.ToolIDs), len(s.Flagged), pairs, s.Method, s.Threshold)
	if len(s.Flagged) == 0 && s.Nearest != nil {
		fmt.Fprintf(w, "the most similar pair is %s and %s at %.4f\n", safetext.Visible(s.Nearest.A),
			safetext.Visible(s.Nearest.B), s.Nearest.Score)
	}

	if len(s.Flagged) > 0 {
		fmt.Fprintln(w)
		row(w, "SCORE", "TOOL", "TOOL")
		for _, p := range s.Flagged {
			score := fmt.Sprintf("%.4f", p.Score)
			if p.FullScore != nil {
				score += fmt.Sprintf(" (%.4f with parameters)", *p.FullScore)
			}

			row(w, score, p.A, p.B)
		}
	}

	for _, r := range s.Recommendations {
		fmt.Fprintf(w, "\n%s, %s\n", safetext.Visible(r.Pair[0]), safetext.Visible(r.Pair[1]))
		for _, item := range r.Items {
			of := ""
			if item.ToolID != nil {
				of = *item.ToolID + ": "
			}

			fmt.Fprintf(w, "  %s  %s\n", item.Priority, safetext.Visible(of+item.Recommendation))
		}
	}

	if s.Overlap != nil {
		writeOverlap(w, s.Overlap)
	}
}

// writeOverlap writes the matrix with similar tools beside each other, and the
// clusters.
func writeOverlap(w io.Writer, m *similarity.OverlapMatrix) {
	fmt.Fprintln(w)
	for i, cluster := range m.Clusters {
		fmt.Fprintf(w, "cluster %d: %s\n", i+1, safetext.Visible(strings.Join(cluster, ", ")))
	}

	if len(m.Order) > widest {
		fmt.Fprintf(w, "the overlap matrix has %d rows: print it with --json\n", len(m.Order))
		return
	}

	header := []string{"OVERLAP"}
	for i := range m.Order {
		header = append(header, fmt.Sprint(i+1))
	}

	row(w, header...)
	for i, a := range m.Order {
		cells := []string{fmt.Sprintf("%d %s", i+1, m.ToolIDs[a])}
		for _, b := range m.Order {
			cells = append(cells, fmt.Sprintf("%.2f", m.Matrix.At(a, b)))
		}

		row(w, cells...)
	}
}
