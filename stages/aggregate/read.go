package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// retrievalRun is one report with the file it came from.
type retrievalRun struct {
	file   string
	report contracts.RetrievalReport
}

// securityRun is one report with the file it came from.
type securityRun struct {
	file   string
	report contracts.SecurityReport
}

// reportFiles lists the JSON files below dir, sorted.
func reportFiles(dir, stage string) ([]string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the reports of %s: %w; name the directory that holds them", stage, err)
	}

	var files []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".json" {
			files = append(files, path)
		}

		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the reports of %s: %w; check the permissions there", stage, err)
	}

	if len(files) == 0 {
		return nil, fmt.Errorf("there is no report of %s in %s; run that stage first", stage, dir)
	}

	slices.Sort(files)
	return files, nil
}

// readRetrieval reads the reports of score-retrieval, by run. All must be on
// the validated data, of one proxy and over the same queries.
func readRetrieval(ctx context.Context, dir string, data contracts.DataIdentity) ([]retrievalRun, error) {
	files, err := reportFiles(dir, "score-retrieval")
	if err != nil {
		return nil, err
	}

	var runs []retrievalRun
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		r, err := contracts.Read[contracts.RetrievalReport](file)
		if err != nil {
			return nil, err
		}

		for _, d := range []struct{ what, got, want string }{
			{"corpus", r.CorpusSHA256, data.CorpusSHA256}, {"golden set", r.GoldenSHA256, data.GoldenSHA256},
		} {
			if d.got != d.want {
				return nil, fmt.Errorf("%s was made on another %s (sha256 %s) than the validated one (%s); run "+
					"score-retrieval again", file, d.what, short(d.got), short(d.want))
			}
		}

		slices.SortFunc(r.PerQuery, func(a, b contracts.QueryResult) int { return cmp.Compare(a.ID, b.ID) })
		slices.SortFunc(r.Unanswerable, func(a, b contracts.UnanswerableResult) int { return cmp.Compare(a.ID, b.ID) })
		run := retrievalRun{file, r}
		if err := run.check(); err != nil {
			return nil, err
		}

		runs = append(runs, run)
	}

	slices.SortStableFunc(runs, func(a, b retrievalRun) int { return cmp.Compare(a.report.Run, b.report.Run) })
	for i := 1; i < len(runs); i++ {
		if err := runs[i].belongsTo(runs[0], runs[i-1]); err != nil {
			return nil, err
		}
	}

	return runs, nil
}

// check refuses a report that contradicts itself: a repeated query, or means
// that do not follow from its queries.
func (r retrievalRun) check() error {
	queries := r.report.PerQuery
	for i := 1; i < len(queries); i++ {
		if queries[i].ID == queries[i-1].ID {
			return fmt.Errorf("%s: query %s occurs twice; run score-retrieval again", r.file, queries[i].ID)
		}
	}

	for i, q := range r.report.Unanswerable {
		twice := i > 0 && r.report.Unanswerable[i-1].ID == q.ID
		if _, both := slices.BinarySearchFunc(queries, q.ID,
			func(q contracts.QueryResult, id string) int { return cmp.Compare(q.ID, id) }); twice || both {
			return fmt.Errorf("%s: query %s occurs twice; run score-retrieval again", r.file, q.ID)
		}
	}

	for _, m := range metrics.Ranking() {
		stated, ok := r.report.Metrics[m.Name]
		if !ok {
			return fmt.Errorf("%s: the metric %s is missing; run score-retrieval again", r.file, m.Name)
		}

		for _, q := range queries {
			v, ok := q.Metrics[m.Name]
			switch {
			case !ok:
				return fmt.Errorf("%s: query %s: the metric %s is missing; run score-retrieval again", r.file, q.ID,
					m.Name)
			case q.Error != "" && v != m.Worst():
				return fmt.Errorf("%s: query %s failed, but its %s is %.6f; run score-retrieval again", r.file, q.ID,
					m.Name, v)
			}
		}

		if found := metrics.Mean(values(queries, m.Name)); math.Abs(found-stated) > 1e-9 {
			return fmt.Errorf("%s: %s is given as %.6f, but the mean of its queries is %.6f; run score-retrieval again",
				r.file, m.Name, stated, found)
		}
	}

	return nil
}

// belongsTo refuses two reports of one run, and runs that measured different
// things. previous is the report of the previous run.
func (r retrievalRun) belongsTo(first, previous retrievalRun) error {
	if r.report.Run == previous.report.Run {
		return fmt.Errorf("%s and %s are both reports of run %d; keep one", previous.file, r.file, r.report.Run)
	}

	a, b := first.report, r.report
	for _, same := range []struct{ what, was, is string }{
		{"proxy", a.Proxy, b.Proxy}, {"proxy identity", a.ProxyIdentity, b.ProxyIdentity},
		{"search path", a.SearchPath, b.SearchPath},
		{"degraded index", a.Degraded, b.Degraded},
	} {
		if same.was != same.is {
			return fmt.Errorf("%s and %s differ in their %s (%s, %s); run score-retrieval again for both", first.file,
				r.file, same.what, short(same.was), short(same.is))
		}
	}

	ids := func(r contracts.RetrievalReport) []string {
		list := make([]string, len(r.PerQuery))
		for i, q := range r.PerQuery {
			list[i] = q.ID
		}

		for _, q := range r.Unanswerable {
			list = append(list, q.ID)
		}

		return list
	}
	if id, in := firstOnlyIn(ids(a), ids(b)); id != "" {
		return fmt.Errorf("query %s is only in %s; all runs must have the same queries: run score-retrieval again "+
			"for both",
			id, []string{first.file, r.file}[in])
	}

	return nil
}

// readSecurity reads the reports of score-security. It returns the runs of each
// detector, sorted by name. All must be over the same entries of the validated
// corpus.
func readSecurity(ctx context.Context, dir string, data contracts.DataIdentity) ([][]securityRun, error) {
	files, err := reportFiles(dir, "score-security")
	if err != nil {
		return nil, err
	}

	byDetector := make(map[string][]securityRun)
	var first securityRun
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		r, err := contracts.Read[contracts.SecurityReport](file)
		if err != nil {
			return nil, err
		}

		if r.SecuritySHA256 != data.SecuritySHA256 {
			return nil, fmt.Errorf("%s was made on another security corpus (sha256 %s) than the validated one (%s); "+
				"run score-security again", file, short(r.SecuritySHA256), short(data.SecuritySHA256))
		}

		slices.SortFunc(r.PerEntry, func(a, b contracts.EntryResult) int { return cmp.Compare(a.ID, b.ID) })
		run := securityRun{file, r}
		if first.file == "" {
			first = run
		}

		if err := run.check(first); err != nil {
			return nil, err
		}

		byDetector[r.Detector.Detector] = append(byDetector[r.Detector.Detector], run)
	}

	var detectors [][]securityRun
	for _, name := range slices.Sorted(maps.Keys(byDetector)) {
		runs := byDetector[name]
		slices.SortStableFunc(runs, func(a, b securityRun) int { return cmp.Compare(a.report.Run, b.report.Run) })
		for i := 1; i < len(runs); i++ {
			if runs[i].report.Run == runs[i-1].report.Run {
				return nil, fmt.Errorf("%s and %s are both reports of run %d of detector %s; keep one", runs[i-1].file,
					runs[i].file, runs[i].report.Run, name)
			}
		}

		detectors = append(detectors, runs)
	}

	return detectors, nil
}

// check refuses a report that contradicts itself or the first report read.
func (r securityRun) check(first securityRun) error {
	entries := r.report.PerEntry
	ids := func(entries []contracts.EntryResult) []string {
		list := make([]string, len(entries))
		for i, e := range entries {
			list[i] = e.ID
		}

		return list
	}
	for i := 1; i < len(entries); i++ {
		if entries[i].ID == entries[i-1].ID {
			return fmt.Errorf("%s: entry %s occurs twice; run score-security again", r.file, entries[i].ID)
		}
	}

	if id, in := firstOnlyIn(ids(first.report.PerEntry), ids(entries)); id != "" {
		return fmt.Errorf("entry %s is only in %s; all runs must have the same entries: run score-security again",
			id, []string{first.file, r.file}[in])
	}

	stated := r.report.Detector
	found := detection.Score(stated.Detector, entries)
	if stated.TP != found.TP || stated.FP != found.FP || stated.TN != found.TN || stated.FN != found.FN ||
		stated.Errored != found.Errored {
		return fmt.Errorf("%s: the counts (tp %d, fp %d, tn %d, fn %d, failed %d) do not follow from the entries "+
			"(%d, %d, %d, %d, %d); run score-security again", r.file,
			stated.TP, stated.FP, stated.TN, stated.FN, stated.Errored, found.TP, found.FP, found.TN, found.FN,
			found.Errored)
	}

	return nil
}

// firstOnlyIn finds the first id that is in only one of two sorted lists. in is
// 0 or 1, the list that has it.
func firstOnlyIn(a, b []string) (id string, in int) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case i == len(a) && i == len(b):
		return "", 0
	case i == len(b) || i < len(a) && a[i] < b[i]:
		return a[i], 0
	}
	return b[i], 1
}

// short shortens a digest enough to compare two by eye.
func short(digest string) string {
	if len(digest) > 12 && !strings.Contains(digest, " ") {
		return digest[:12]
	}
	return digest
}
