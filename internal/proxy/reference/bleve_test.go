package reference

import (
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown/store/gtreap"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// toolText is the name under which bleve registers the analyzer of the tests.
const toolText = "tool-text"

func init() {
	err := registry.RegisterAnalyzer(toolText,
		func(_ map[string]any, cache *registry.Cache) (analysis.Analyzer, error) {
			stop, err := cache.TokenFilterNamed(en.StopName)
			if err != nil {
				return nil, err
			}
			stem, err := cache.TokenFilterNamed(en.SnowballStemmerName)
			if err != nil {
				return nil, err
			}
			return &analysis.DefaultAnalyzer{Tokenizer: wordTokenizer{}, TokenFilters: []analysis.TokenFilter{stop, requestFilter{}, stem}}, nil
		})
	if err != nil {
		panic(err)
	}
}

type requestFilter struct{}

func (requestFilter) Filter(in analysis.TokenStream) analysis.TokenStream {
	return slices.DeleteFunc(in, func(t *analysis.Token) bool { return requestWords[string(t.Term)] })
}

type wordTokenizer struct{}

func (wordTokenizer) Tokenize(in []byte) analysis.TokenStream {
	var stream analysis.TokenStream
	for i, w := range words(string(in)) {
		stream = append(stream, &analysis.Token{Term: []byte(w), Position: i + 1})
	}
	return stream
}

// bleveIndex is the search of the reference proxy as bleve computes it. All tools are in one segment, from which bleve
// derives the average length.
type bleveIndex struct{ bleve.Index }

func newBleveIndex(t *testing.T, tools []*toolRecord) bleveIndex {
	t.Helper()
	doc := mapping.NewDocumentStaticMapping()
	for _, f := range searchFields {
		text := mapping.NewTextFieldMapping()
		text.Analyzer, text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = toolText, false, false, false, false
		doc.AddFieldMappingsAt(f.name, text)
	}
	m := mapping.NewIndexMapping()
	m.DefaultAnalyzer, m.DefaultMapping, m.ScoringModel = toolText, doc, index.BM25Scoring
	idx, err := bleve.NewUsing("", m, scorch.Name, gtreap.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = idx.Close() })
	batch := idx.NewBatch()
	for _, tool := range tools {
		doc := map[string]any{}
		for i, text := range fieldTexts(tool) {
			doc[searchFields[i].name] = text
		}
		if err := batch.Index(tool.id, doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := idx.Batch(batch); err != nil {
		t.Fatal(err)
	}
	return bleveIndex{idx}
}

// search rounds scores, because bleve adds up the terms of a long query in the order of its internal document numbers.
func (b bleveIndex) search(t *testing.T, text string, limit, tools int) ([]hit, int) {
	t.Helper()
	var fields []query.Query
	for _, f := range searchFields {
		match := bleve.NewMatchQuery(text)
		match.SetField(f.name)
		match.SetBoost(f.boost)
		fields = append(fields, match)
	}
	req := bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(fields...), min(limit+extraHits, tools), 0, false)
	req.SortBy([]string{"-_score", "_id"})
	res, err := b.Search(req)
	if err != nil {
		t.Fatal(err)
	}
	hits := make([]hit, len(res.Hits))
	for i, h := range res.Hits {
		hits[i] = hit{h.ID, roundScore(h.Score)}
	}
	slices.SortFunc(hits, compareHits)
	return hits[:min(limit, len(hits))], int(res.Total)
}

// TestTermsAreThoseOfBleve compares the stop words and the stemmer.
func TestTermsAreThoseOfBleve(t *testing.T) {
	cache := registry.NewCache()
	analyzer, err := cache.AnalyzerNamed(toolText)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := cache.TokenMapNamed(en.StopName)
	if err != nil {
		t.Fatal(err)
	}
	for w := range stop {
		if !strings.Contains(w, "'") && !stopWords[w] {
			t.Errorf("%q is a stop word of bleve", w)
		}
	}
	for w := range stopWords {
		if !stop[w] {
			t.Errorf("%q is no stop word of bleve", w)
		}
	}
	for _, text := range []string{
		"Searching for searched files, it's what they've been doing", "createIssues of the repositories", "tools 天気予報 Zürich", "", "don't cannot shan't",
		"generously national relational happily flies dying skies news innings",
	} {
		var want []string
		for _, token := range analyzer.Analyze([]byte(text)) {
			want = append(want, string(token.Term))
		}
		if got := analyze(text); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
}
