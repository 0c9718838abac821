package pool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/direct"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
)

// searcher ranks the tools of a corpus. Search returns at most limit ids, best
// first.
type searcher interface {
	Search(ctx context.Context, query string, limit int) ([]contracts.ToolID, error)
}

// builtin is a retriever that runs in this program.
type builtin struct {
	name  string
	about string
	build func(ctx context.Context, tools []contracts.Tool, model embedding.Model) (searcher, error)
	// dense retrievers need a sentence model.
	dense bool
}

// builtins differ in what they compare, so that their mistakes differ too.
var builtins = []builtin{
	{name: "names", about: "BM25 over the names of tools and servers",
		build: func(ctx context.Context, tools []contracts.Tool, _ embedding.Model) (searcher, error) {
			return direct.NewRanking(ctx, direct.RankBM25, rewritten(tools, func(t *contracts.Tool) {
				t.Tool, t.Description = t.Tool+" "+t.Server, ""
			}), nil)
		}},
	{name: "bm25", about: "BM25 over names, descriptions and parameters",
		build: func(ctx context.Context, tools []contracts.Tool, _ embedding.Model) (searcher, error) {
			return direct.NewRanking(ctx, direct.RankBM25, rewritten(tools, func(t *contracts.Tool) {
				t.Description = everything(t)
			}), nil)
		}},
	{name: "ngrams", about: "cosine of runs of 3 to 5 characters",
		build: func(_ context.Context, tools []contracts.Tool, _ embedding.Model) (searcher, error) {
			return newNgrams(tools), nil
		}},
	{name: "lsa", about: "cosine of vectors from latent semantic analysis of the corpus",
		build: func(_ context.Context, tools []contracts.Tool, _ embedding.Model) (searcher, error) {
			return newLSA(tools), nil
		}},
	{name: "reference", about: "the search of the reference proxy",
		build: func(ctx context.Context, tools []contracts.Tool, _ embedding.Model) (searcher, error) {
			return reference.NewIndex(ctx, tools, nil)
		}},
	{name: "dense", about: "cosine of sentence vectors", dense: true,
		build: func(ctx context.Context, tools []contracts.Tool, model embedding.Model) (searcher, error) {
			return direct.NewRanking(ctx, direct.RankDense, tools, model)
		}},
	{name: "hybrid", about: "the reference proxy with sentence vectors", dense: true,
		build: func(ctx context.Context, tools []contracts.Tool, model embedding.Model) (searcher, error) {
			return reference.NewIndex(ctx, tools, model)
		}},
}

func builtinNames() []string {
	names := make([]string, len(builtins))
	for i, b := range builtins {
		names[i] = b.name
	}
	return names
}

// About is a retriever's name and what it compares.
type About struct {
	Name, About string
	// NeedsModel is set for those that need a sentence model.
	NeedsModel bool
}

// Builtins lists the retrievers that run in this program.
func Builtins() []About {
	list := make([]About, len(builtins))
	for i, b := range builtins {
		list[i] = About{b.name, b.about, b.dense}
	}
	return list
}

// rewritten returns a copy of tools, changed by change.
func rewritten(tools []contracts.Tool, change func(*contracts.Tool)) []contracts.Tool {
	list := slices.Clone(tools)
	for i := range list {
		change(&list[i])
	}
	return list
}

// everything is the text of a tool without its name: server, description and the
// words of its parameters.
func everything(t *contracts.Tool) string {
	return t.Server + "\n" + t.Description + "\n" + reference.SchemaText(t.Schema)
}

// Search asks the named retrievers of Builtins every query. It returns a run for
// each, in the order of Builtins. No names stand for all that need no model, or
// for all if there is a model.
func Search(ctx context.Context, corpus contracts.Corpus, queries []Query, names []string, depth int,
	model embedding.Model) ([]Run, error) {
	for _, name := range names {
		i := slices.IndexFunc(builtins, func(b builtin) bool { return b.name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no retriever %q; choose among %s", name,
				strings.Join(builtinNames(), ", "))
		case builtins[i].dense && model == nil:
			return nil, fmt.Errorf("the retriever %s needs a sentence model; name one, or leave the retriever out",
				name)
		}
	}

	var runs []Run
	for _, b := range builtins {
		if b.dense && model == nil || len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}

		run, err := b.search(ctx, corpus.Tools, queries, depth, model)
		if err != nil {
			return nil, fmt.Errorf("retriever %s: %w", b.name, err)
		}

		runs = append(runs, run)
	}

	return runs, nil
}

func (b builtin) search(ctx context.Context, tools []contracts.Tool, queries []Query, depth int,
	model embedding.Model) (Run, error) {
	run := Run{Name: b.name, Found: make(map[string][]contracts.ToolID, len(queries))}
	s, err := b.build(ctx, tools, model)
	if err != nil {
		return run, err
	}

	for _, q := range queries {
		if err := ctx.Err(); err != nil {
			return run, err
		}

		found, err := s.Search(ctx, q.Text, depth)
		if err != nil {
			return run, fmt.Errorf("query %s: %w", q.ID, err)
		}

		run.Found[q.ID] = found
	}

	return run, nil
}
