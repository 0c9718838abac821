package validatedatasets

import (
	"encoding/json"
	"fmt"
	"path/filepath"

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
// *InvalidError with every problem of every file. An absent lock file is empty.
func Check(lockPath string, files []string) ([]Checked, error) {
	lock, err := readLock(lockPath)
	if err != nil {
		return nil, err
	}
	return checkFiles(files, lock)
}

// kindOf returns the kind of a dataset, derived from the list that it holds, or
// "" if data is not a dataset.
func kindOf(data []byte) string {
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil {
		return ""
	}
	for _, known := range []struct{ list, kind string }{{"tools", contracts.KindCorpus}, {"queries", contracts.KindGolden}, {"entries", contracts.KindSecurity}, {"cases", contracts.KindCases}} {
		if _, ok := top[known.list]; ok {
			return known.kind
		}
	}
	return ""
}

// checkFiles validates datasets of any kind and describes them, in the order of
// files.
func checkFiles(files []string, lock contracts.DatasetLock) ([]Checked, error) {
	var invalid InvalidError
	var checked []Checked
	for _, path := range files {
		data, err := contracts.ReadBytes(path)
		if err != nil {
			return nil, err
		}
		var c Checked
		var fe *contracts.FileError
		switch kind := kindOf(data); kind {
		case contracts.KindCorpus:
			c, fe, err = checkFile(kind, path, lock, checkCorpus, describeCorpus)
		case contracts.KindGolden:
			c, fe, err = checkGoldenFile(path, files, lock)
		case contracts.KindSecurity:
			c, fe, err = checkFile(kind, path, lock, checkSecurity, describeSecurity)
		case contracts.KindCases:
			c, fe, err = checkCasesFile(path, files, lock)
		default:
			if _, err := contracts.CanonicalJSON(data); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			return nil, fmt.Errorf("%s is not a dataset: it has neither tools nor queries nor entries nor cases; name a corpus, a golden set, a security corpus or a set of cases", path)
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

func checkFile[T any](kind, path string, lock contracts.DatasetLock, check func(*dataset[T]) []string, describe func(*T) contracts.ValidatedDataset) (Checked, *contracts.FileError, error) {
	d, err := load[T](kind, path)
	if err != nil {
		return Checked{}, nil, err
	}
	warnings := check(d)
	v := validated(d, locked{DatasetLock: lock}, describe)
	return Checked{ValidatedDataset: v, Path: path, Versionless: v.Version == v.SHA256, Warnings: warnings, Data: d.data}, d.err(), nil
}

// checkGoldenFile finds the corpus of a golden set and checks the set against it.
func checkGoldenFile(path string, files []string, lock contracts.DatasetLock) (Checked, *contracts.FileError, error) {
	golden, err := load[contracts.GoldenSet](contracts.KindGolden, path)
	if err != nil {
		return Checked{}, nil, err
	}
	corpus, err := corpusOf(golden, golden.value.CorpusVersion, files)
	if err != nil {
		return Checked{}, nil, err
	}
	warnings := checkGolden(golden, corpus)
	v := validated(golden, locked{DatasetLock: lock}, describeGolden)
	return Checked{ValidatedDataset: v, Path: path, Versionless: golden.value.Version == "", Warnings: warnings, Data: golden.data, Corpus: corpus}, golden.err(), nil
}

// checkCasesFile finds the corpus of a set of cases and checks the set against it.
func checkCasesFile(path string, files []string, lock contracts.DatasetLock) (Checked, *contracts.FileError, error) {
	cases, err := load[contracts.CaseSet](contracts.KindCases, path)
	if err != nil {
		return Checked{}, nil, err
	}
	corpus, err := corpusOf(cases, cases.value.CorpusVersion, files)
	if err != nil {
		return Checked{}, nil, err
	}
	warnings := checkCases(cases, corpus)
	v := validated(cases, locked{DatasetLock: lock}, describeCases)
	return Checked{ValidatedDataset: v, Path: path, Warnings: warnings, Data: cases.data, Corpus: corpus}, cases.err(), nil
}

// corpusOf finds the corpus of a dataset among the given files and those in the
// dataset's directory. A dataset with problems gets an empty one if there is
// none.
func corpusOf[T any](d *dataset[T], version string, files []string) (*contracts.Corpus, error) {
	candidates := append([]string(nil), files...)
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(d.path), "*.json"))
	if err != nil {
		return nil, err
	}
	corpus := findCorpus(append(candidates, beside...), version)
	if corpus == nil && len(d.problems) == 0 {
		return nil, fmt.Errorf("%s is made for corpus %q, which is neither given nor in the same directory; name the corpus file too", d.path, version)
	}
	if corpus == nil {
		corpus = &contracts.Corpus{}
	}
	return corpus, nil
}

func findCorpus(paths []string, version string) *contracts.Corpus {
	for _, path := range paths {
		data, err := contracts.ReadBytes(path)
		if err != nil || kindOf(data) != contracts.KindCorpus {
			continue
		}
		if c, err := contracts.Decode[contracts.Corpus](path, data); err == nil && c.Version == version {
			return &c
		}
	}
	return nil
}
