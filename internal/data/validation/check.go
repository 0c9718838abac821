package validation

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Checked is a valid dataset file.
type Checked struct {
	contracts.ValidatedDataset
	Path string
	// Versionless marks a golden set without a version. Version is the digest
	// then.
	Versionless bool
	// Warnings are remarks on its content.
	Warnings []string
	// Data is its content, and Corpus the corpus of a golden set or of cases.
	Data   []byte
	Corpus *contracts.Corpus
}

// Check validates datasets of any kind as the stage does, and describes them in
// the order of files. A golden set and cases need their corpus, which must be one
// of files or in the same directory. Files that are refused give an
// *InvalidError with every problem of every file.
func Check(lock contracts.DatasetLock, files []string) ([]Checked, error) {
	var invalid InvalidError
	var checked []Checked
	corpora := &corpora{files: files, known: map[string]*contracts.Corpus{}}
	for _, path := range files {
		data, err := contracts.ReadBytes(path)
		if err != nil {
			return nil, err
		}

		var c Checked
		var fe *contracts.FileError
		switch kind := kindOf(data); kind {
		case contracts.KindCorpus:
			c, fe, err = checkFile(kind, path, lock, func(d *dataset[contracts.Corpus]) []string {
				if len(d.problems) == 0 {
					corpora.known[path] = &d.value
				}

				return checkCorpus(d)
			}, describeCorpus)
		case contracts.KindGolden:
			c, fe, err = checkGoldenFile(path, corpora, lock)
		case contracts.KindSecurity:
			c, fe, err = checkFile(kind, path, lock, checkSecurity, describeSecurity)
		case contracts.KindCases:
			c, fe, err = checkCasesFile(path, corpora, lock)
		default:
			if _, err := contracts.CanonicalJSON(data); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}

			return nil, fmt.Errorf("%s is not a dataset: it has neither tools nor queries nor entries nor cases; "+
				"name a corpus, a golden set, a security corpus or a set of cases", path)
		}

		if err != nil {
			return nil, err
		}

		if fe != nil {
			invalid.Files = append(invalid.Files, fe)
		}

		checked = append(checked, c)
	}

	if len(invalid.Files) > 0 {
		return nil, &invalid
	}

	return checked, nil
}

func checkFile[T any](kind, path string, lock contracts.DatasetLock, check func(*dataset[T]) []string,
	describe func(*T) contracts.ValidatedDataset) (Checked, *contracts.FileError, error) {
	d, err := load[T](kind, path)
	if err != nil {
		return Checked{}, nil, err
	}
	warnings := check(d)
	v := validated(d, locked{DatasetLock: lock}, describe)
	return Checked{ValidatedDataset: v, Path: path, Versionless: v.Version == v.SHA256, Warnings: warnings,
		Data: d.data}, d.err(), nil
}

// checkGoldenFile finds the corpus of a golden set and checks the set against it.
func checkGoldenFile(path string, corpora *corpora, lock contracts.DatasetLock) (Checked, *contracts.FileError, error) {
	golden, err := load[contracts.GoldenSet](contracts.KindGolden, path)
	if err != nil {
		return Checked{}, nil, err
	}

	corpus, err := corpusOf(golden, golden.value.CorpusVersion, corpora)
	if err != nil {
		return Checked{}, nil, err
	}

	warnings := checkGolden(golden, corpus)
	v := validated(golden, locked{DatasetLock: lock}, describeGolden)
	return Checked{ValidatedDataset: v, Path: path, Versionless: golden.value.Version == "", Warnings: warnings,
		Data: golden.data, Corpus: corpus}, golden.err(), nil
}

// checkCasesFile finds the corpus of a set of cases and checks the set against it.
func checkCasesFile(path string, corpora *corpora, lock contracts.DatasetLock) (Checked, *contracts.FileError, error) {
	cases, err := load[contracts.CaseSet](contracts.KindCases, path)
	if err != nil {
		return Checked{}, nil, err
	}

	corpus, err := corpusOf(cases, cases.value.CorpusVersion, corpora)
	if err != nil {
		return Checked{}, nil, err
	}

	warnings := checkCases(cases, corpus)
	v := validated(cases, locked{DatasetLock: lock}, describeCases)
	return Checked{ValidatedDataset: v, Path: path, Warnings: warnings, Data: cases.data, Corpus: corpus}, cases.err(),
		nil
}

// corpusOf finds the corpus of a dataset among the given files and those in the
// dataset's directory. A dataset with problems gets an empty one if there is
// none.
func corpusOf[T any](d *dataset[T], version string, corpora *corpora) (*contracts.Corpus, error) {
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(d.path), "*.json"))
	if err != nil {
		return nil, err
	}

	corpus := corpora.find(beside, version)
	if corpus == nil && len(d.problems) == 0 {
		return nil, fmt.Errorf("%s is made for corpus %q, which is neither given nor in the same directory; name "+
			"the corpus file too", d.path, version)
	}

	if corpus == nil {
		corpus = &contracts.Corpus{}
	}

	return corpus, nil
}

// corpora are the corpora of one check. Each is read once: a large one takes
// seconds.
type corpora struct {
	files []string
	known map[string]*contracts.Corpus // by path
}

// find returns the corpus with a version among the given files and those beside.
func (c *corpora) find(beside []string, version string) *contracts.Corpus {
	for _, path := range slices.Concat(c.files, beside) {
		corpus, known := c.known[path]
		if !known {
			corpus = readCorpus(path, version)
			if corpus != nil {
				c.known[path] = corpus
			}
		}

		if corpus != nil && corpus.Version == version {
			return corpus
		}
	}

	return nil
}

// readCorpus returns the corpus in a file if it is valid and has that version.
func readCorpus(path, version string) *contracts.Corpus {
	data, err := contracts.ReadBytes(path)
	if err != nil || kindOf(data) != contracts.KindCorpus {
		return nil
	}

	if v, _, _, ok := VersionOf(data); !ok || v != version {
		return nil
	}

	corpus, err := contracts.Decode[contracts.Corpus](path, data)
	if err != nil {
		return nil
	}

	return &corpus
}
