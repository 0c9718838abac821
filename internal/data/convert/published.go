package convert

import (
	"bytes"
	"fmt"
	"slices"
)

// readPublished reads what Import reads: a corpus, its golden set and a security
// corpus, each at most once.
func readPublished(im *importer, files []File) ([]Imported, error) {
	// The corpus comes first, because the golden set is read against it.
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int {
		isGolden := func(f File) int {
			if bytes.Contains(f.Data, []byte(`"queries"`)) {
				return 1
			}

			return 0
		}
		return isGolden(a) - isGolden(b)
	})
	var all []Imported
	opts := im.opts
	for _, f := range files {
		one, err := Import(f.Name, f.Data, opts)
		if err != nil {
			return nil, err
		}

		if slices.ContainsFunc(all, func(o Imported) bool { return o.Kind == one.Kind }) {
			return nil, fmt.Errorf("%s: there are two datasets of the kind %s; name one of their files", im.file,
				one.Kind)
		}

		if one.Kind == KindCorpus {
			opts.Corpus = one.Corpus
		}

		if one.Kind == KindGolden && opts.Corpus == nil {
			return nil, fmt.Errorf("%s: there is a golden set without its corpus; name the file of the corpus too",
				im.file)
		}

		for _, note := range one.Notes {
			im.recordMapping("%s: %s", f.Name, note)
		}

		all = append(all, one)
	}

	return all, nil
}
