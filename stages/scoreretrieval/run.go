package scoreretrieval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
	"github.com/touchstone-eval/touchstone/metrics"
)

// data is the content of the stage's input files, which are consistent with
// each other.
type data struct {
	corpus       contracts.Corpus
	golden       contracts.GoldenSet
	index        contracts.IndexSnapshot
	corpusSHA256 string
	goldenSHA256 string
}

// Run runs the stage.
func Run(ctx context.Context, opts Options) error {
	if opts.Run < 1 {
		return fmt.Errorf("--run %d is out of range: runs are counted from 1", opts.Run)
	}

	if opts.Search != contracts.SearchMCP && opts.Search != contracts.SearchREST {
		return fmt.Errorf("--search %q is unknown: use %s or %s", opts.Search, contracts.SearchMCP,
			contracts.SearchREST)
	}

	maxFailed := defaultMaxFailed
	if opts.MaxFailed != nil {
		maxFailed = *opts.MaxFailed
	}

	if !(maxFailed >= 0 && maxFailed <= 1) {
		return fmt.Errorf("--max-failed %v is out of range: give a share from 0 to 1", maxFailed)
	}

	depth := cmp.Or(opts.Depth, defaultDepth)
	if depth < defaultDepth || depth > maxDepth {
		return fmt.Errorf("--depth %d is out of range: ask for %d to %d results", depth, defaultDepth, maxDepth)
	}

	degrade, err := undertest.ParseDegrade(opts.Degrade)
	if err != nil {
		return err
	}

	d, err := readData(opts)
	if err != nil {
		return err
	}

	if err := undertest.CheckHidden(degrade, d.corpus); err != nil {
		return err
	}

	seed := uint64(opts.Run)
	p, err := undertest.Start(ctx, undertest.Options{
		Dir: opts.Proxy, Corpus: d.corpus, Seed: seed, Index: degrade, SearchPath: opts.Search,
		ReadyTimeout: opts.ReadyTimeout, QueryTimeout: opts.QueryTimeout, Executable: opts.Executable,
		Progress: opts.Progress,
	})
	if err != nil {
		return err
	}

	defer p.Stop()
	if err := sameIndex(ctx, p, d.index); err != nil {
		return err
	}

	tools := make(map[contracts.ToolID]contracts.Tool, len(d.corpus.Tools))
	for _, t := range d.corpus.Tools {
		tools[t.ToolID] = t
	}

	a := querier{proxy: p, maxFailed: maxFailed, tools: tools, depth: depth}
	results, err := a.askAll(ctx, d.golden.Queries, replay.Order(seed, "queries", len(d.golden.Queries)))
	if err != nil {
		return err
	}

	cost, err := runCost(ctx, p, d.corpus, opts.Progress)
	if err != nil {
		return err
	}

	report := contracts.RetrievalReport{
		CorpusVersion: d.corpus.Version,
		GoldenVersion: goldenVersion(d.golden, d.goldenSHA256),
		CorpusSHA256:  d.corpusSHA256,
		GoldenSHA256:  d.goldenSHA256,
		Proxy:         p.Manifest.Name,
		ProxyIdentity: p.Manifest.Identity,
		SearchPath:    opts.Search,
		Degraded:      opts.Degrade,
		Run:           opts.Run,
		TestShare:     d.golden.TestShare,
		Quarantine:    d.index.Quarantine,
		Unverified:    undertest.Unverified(d.index.Tools),
		Cost:          cost,
	}
	report.PerQuery, report.Unanswerable = separate(results, d.golden, tools)
	report.Metrics = mean(report.PerQuery)
	if err := contracts.Write(opts.Out, report); err != nil {
		return err
	}

	if opts.Progress != nil {
		opts.Progress(summary(report))
	}

	return nil
}

// separate takes the unanswerable queries out of the results, and counts the
// words that the others share with their tools.
func separate(results []contracts.QueryResult, golden contracts.GoldenSet,
	tools map[contracts.ToolID]contracts.Tool) (scored []contracts.QueryResult,
	unanswerable []contracts.UnanswerableResult) {
	queries := make(map[string]contracts.Query, len(golden.Queries))
	for _, q := range golden.Queries {
		queries[q.ID] = q
	}

	for _, r := range results {
		if q := queries[r.ID]; q.Answerable() {
			shared := SharedWords(q, tools)
			r.SharedWords = &shared
			scored = append(scored, r)
			continue
		}

		unanswerable = append(unanswerable, r.Unanswerable())
	}

	return scored, unanswerable
}

// summary is the summary of a run in one line.
func summary(r contracts.RetrievalReport) string {
	line := fmt.Sprintf("run %d: %d queries, %d failed", r.Run, len(r.PerQuery), errored(r.PerQuery))
	for _, m := range metrics.Ranking() {
		if m.Shown&metrics.InSummary != 0 {
			line += fmt.Sprintf(", %s %.4f", m.Label, r.Metrics[m.Name])
		}
	}
	if n := len(r.Unanswerable); n > 0 {
		line += fmt.Sprintf("; %d unanswerable queries", n)
	}
	return line
}

func readData(opts Options) (data, error) {
	var d data
	var err error
	if d.corpus, d.corpusSHA256, err = contracts.ReadDigested[contracts.Corpus](opts.Corpus); err != nil {
		return d, err
	}

	if d.golden, d.goldenSHA256, err = contracts.ReadDigested[contracts.GoldenSet](opts.Golden); err != nil {
		return d, err
	}

	if d.index, err = contracts.Read[contracts.IndexSnapshot](opts.Index); err != nil {
		return d, err
	}

	if d.golden.CorpusVersion != d.corpus.Version {
		return d, fmt.Errorf("golden set %s is for corpus version %q, but %s has version %q: use the corpus of the "+
			"golden set",
			opts.Golden, d.golden.CorpusVersion, opts.Corpus, d.corpus.Version)
	}

	if !slices.ContainsFunc(d.golden.Queries, func(q contracts.Query) bool { return q.Answerable() }) {
		return d, fmt.Errorf("golden set %s has no query with a right tool: there is nothing to score", opts.Golden)
	}

	if d.index.CorpusVersion != d.corpus.Version {
		return d, fmt.Errorf("index snapshot %s is of corpus version %q, but %s has version %q: run snapshot-index "+
			"again",
			opts.Index, d.index.CorpusVersion, opts.Corpus, d.corpus.Version)
	}

	return d, nil
}

// goldenVersion names a golden set without a version by its digest.
func goldenVersion(g contracts.GoldenSet, digest string) string {
	if g.Version != "" {
		return g.Version
	}
	return "sha256:" + digest[:12]
}

// sameIndex fails unless the proxy's index is equal to the snapshot.
func sameIndex(ctx context.Context, p *undertest.Proxy, snapshot contracts.IndexSnapshot) error {
	if snapshot.ProxyIdentity != p.Manifest.Identity {
		return fmt.Errorf("the index snapshot is of proxy %q (%s), but this is %q (%s): run snapshot-index again",
			snapshot.Proxy, snapshot.ProxyIdentity, p.Manifest.Name, p.Manifest.Identity)
	}

	tools, err := p.Tools(ctx)
	if err != nil {
		return err
	}

	got, err := undertest.Digest(tools)
	if err != nil {
		return p.WithLog(fmt.Errorf("proxy %q lists an entry that is not a tool: %w", p.Manifest.Name, err))
	}

	if err := p.CheckFound(got); err != nil {
		return err
	}

	want := slices.Clone(snapshot.Tools)
	slices.SortFunc(want, func(a, b contracts.IndexedTool) int { return cmp.Compare(a.ToolID, b.ToolID) })
	lines := append(undertest.Differences(want, got), undertest.Unsearchable(tools)...)
	if len(lines) > 0 {
		return p.WithLog(fmt.Errorf("proxy %q does not match the index snapshot, %d tools differ: the same proxy "+
			"with the same tools must build the same index:\n%s",
			p.Manifest.Name, len(lines), undertest.Shorten(lines)))
	}

	return nil
}
