// Training packs the word lists of the scanner and trains its sentence
// classifier. It writes the files that the scanner embeds:
//
//	go run ./scanner/training            # the lexicon
//	go run ./scanner/training -weights   # these, and the weights of the classifier
//	go run ./scanner/training -measure   # nothing, and prints operating points
//	go run ./scanner/training -figures   # nothing, and prints what all sets show
//	go run ./scanner/training -ablate    # nothing, and prints what each part is worth
//
// The word lists are the Go files of this directory and common_words.txt. The
// labelled tools are in sentences (attacks with marks) and in unmarked. Code
// that scans does not belong here, and no package imports this program.
//
// The program itself embeds the lexicon of the time when it was built. After a
// change of the word lists run it again with -weights, so that features are
// made with the new lexicon.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
)

func main() {
	dir := flag.String("dir", filepath.Join("scanner", "training"), "this directory in a checkout")
	weights := flag.Bool("weights", false, "train the classifier as well, which takes half a minute")
	points := flag.Bool("measure", false, "write nothing, and print what the scanner stops and its recall at fixed "+
		"shares of innocent tools, over the labelled sets or over the given files: *.json with \"entries\" "+
		"(labelled) or \"tools\" (real, taken to be innocent)")
	skip := flag.String("skip", "", "with -measure, the check to leave out")
	folds := flag.Int("folds", 0, "with -measure, judge the sets by author with a classifier that was trained on "+
		"the other authors, in so many folds (6 take about five minutes)")
	verbose := flag.Bool("v", false, "with -measure, print the innocent tools that the default run stops")
	figures := flag.Bool("figures", false, "write nothing, and print what the scanner finds and stops in the "+
		"corpora, their rewritten entries, the sets of scanner/testdata, the given files with \"tools\", and "+
		"sentences of authors that the classifier was not trained on")
	ablate := flag.Bool("ablate", false, "the same, and what changes without each decoder and check")
	flag.Parse()
	err := error(nil)
	switch {
	case *figures || *ablate:
		err = runFigures(*dir, flag.Args(), cmp.Or(*folds, 4), *ablate)
	case *points:
		err = runMeasure(*dir, flag.Args(), *skip, *folds, *verbose)
	default:
		err = run(*dir, *weights)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "training:", err)
		os.Exit(1)
	}
}

// run writes the packed files next to the packages that embed them.
func run(dir string, weights bool) error {
	rooms := filepath.Join(dir, "..", "internal")
	lex := compileLexicon()
	files := map[string][]byte{
		filepath.Join(rooms, "meaning", "lexicon", "lexicon.bin"): packLexicon(lex),
	}
	if weights {
		packed, err := packedWeights(dir)
		if err != nil {
			return err
		}

		files[filepath.Join(rooms, "classifier", "weights.bin")] = packed
		fmt.Println(len(packed)/classifier.RecordSize, "weights")
	}

	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return fmt.Errorf("%w: run the program at the root of a checkout", err)
		}
	}

	return nil
}

// runMeasure measures the sets of the directory, or the given files.
func runMeasure(dir string, paths []string, skip string, folds int, verbose bool) error {
	var opts []scanner.Option
	if skip != "" {
		opts = append(opts, scanner.WithoutChecks(skip))
	}

	var all []judged
	var err error
	if folds > 1 {
		all, err = judgeUnreadFolds(dir, folds, opts...)
	} else {
		var tools []labelledTool
		if tools, err = setsToMeasure(dir, paths); err == nil {
			all, err = judgeAll(tools, opts...)
		}
	}

	if err != nil {
		return err
	}

	if verbose {
		printStopped(os.Stdout, all)
	}

	printPoints(os.Stdout, all)
	return nil
}

// runFigures prints the figures of the panel, and what each part of the scanner is
// worth.
func runFigures(dir string, real []string, folds int, ablate bool) error {
	p, err := readPanel(dir, folds, real)
	if err != nil {
		return err
	}

	counts, speed, err := judgePanel(p)
	if err != nil {
		return err
	}

	printPanel(os.Stdout, p, counts, speed)
	if ablate {
		return printAblation(os.Stdout, p)
	}

	return nil
}
