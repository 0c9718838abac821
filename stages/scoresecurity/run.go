package scoresecurity

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/adapted"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// DefaultEntryTimeout is the default time limit for one entry.
const DefaultEntryTimeout = 10 * time.Second

// maxConsecutiveTimeouts is the number of consecutive timeouts after which a detector counts
// as hung. Waiting for half of the corpus to time out could exceed the timeout of
// the stage, which would then end without a reason.
const maxConsecutiveTimeouts = 5

// Options are the options of one run.
type Options struct {
	// Security is the path of the corpus, Out that of the report.
	Security, Out string
	// Detector is the name of the detector. Argv starts it; if it is empty,
	// the detector is a built-in one.
	Detector string
	Argv     []string
	// Adapted is a directory of detectors that an adapter describes,
	// including Detector; see docs/reference/adapters.md. It replaces Argv.
	Adapted string
	// Run is the number of this run. It seeds the order of the entries.
	Run int
	// EntryTimeout is the time limit for one entry; zero means
	// DefaultEntryTimeout.
	EntryTimeout time.Duration
	// Log receives messages for people.
	Log io.Writer
}

// Run scores the detector and writes a contracts.SecurityReport. It fails if the
// detector cannot be started, times out on several consecutive entries, or fails
// on more than half of them: figures for the rest would be meaningless.
func Run(ctx context.Context, opts Options) error {
	if opts.Run < 0 {
		return fmt.Errorf("--run is %d: give the number of the run, 0 or greater", opts.Run)
	}

	corpus, digest, err := ReadCorpus(opts.Security)
	if err != nil {
		return err
	}

	entries, err := Judge(ctx, opts, corpus.Entries)
	if err != nil {
		return err
	}

	slices.SortFunc(entries, func(a, b contracts.EntryResult) int { return cmp.Compare(a.ID, b.ID) })
	return contracts.Write(opts.Out, contracts.SecurityReport{
		SecurityVersion: corpus.Version,
		SecuritySHA256:  digest,
		Run:             opts.Run,
		Detector:        detection.Score(opts.Detector, entries),
		PerEntry:        entries,
	})
}

// ReadCorpus reads a security corpus, which must have entries, and returns it
// with the SHA-256 of its file.
func ReadCorpus(path string) (corpus contracts.SecurityCorpus, digest string, err error) {
	if corpus, digest, err = contracts.ReadDigested[contracts.SecurityCorpus](path); err != nil {
		return corpus, "", err
	}
	if len(corpus.Entries) == 0 {
		return corpus, "", fmt.Errorf("%s: there are no entries to score: add some", path)
	}
	return corpus, digest, nil
}

// Judge sends the entries to the detector that opts names, in the order given by
// opts.Run, and returns a result for each, in the order of entries. It fails in
// the same cases as Run.
func Judge(ctx context.Context, opts Options, entries []contracts.SecurityEntry) ([]contracts.EntryResult, error) {
	if strings.ContainsFunc(opts.Detector, unicode.IsSpace) {
		return nil, fmt.Errorf("--detector is %q: give a name without spaces", opts.Detector)
	}

	if opts.EntryTimeout < 0 {
		return nil, fmt.Errorf("--entry-timeout is %v: give a duration above zero", opts.EntryTimeout)
	}

	if opts.EntryTimeout == 0 {
		opts.EntryTimeout = DefaultEntryTimeout
	}

	if opts.Log == nil {
		opts.Log = io.Discard
	}

	if err := ownDetector(&opts); err != nil {
		return nil, err
	}

	results, err := askAll(ctx, opts, entries)
	if err != nil {
		return nil, fmt.Errorf("detector %s: %w", opts.Detector, err)
	}

	return perEntry(entries, results), nil
}

// ownDetector checks which detector the options select, and sets the command of one that an adapter describes.
func ownDetector(opts *Options) error {
	if len(opts.Argv) > 0 && opts.Adapted != "" {
		return errors.New("--adapted and a command after -- select two detectors: use only one of them")
	}

	if len(opts.Argv) > 0 {
		if opts.Detector == "" {
			return errors.New("--detector is missing: give the detector a name for the report")
		}

		if detectors.Check(opts.Detector) == nil {
			return fmt.Errorf("--detector %s is the name of a built-in detector, and the report would confuse the "+
				"two: choose another name", opts.Detector)
		}

		return nil
	}

	if opts.Adapted != "" {
		return adaptedDetector(opts)
	}

	if err := detectors.Check(opts.Detector); err != nil {
		return fmt.Errorf("%w, or give the command of an external detector after --", err)
	}

	return nil
}

// adaptedDetector sets the command of a detector that an adapter describes.
func adaptedDetector(opts *Options) error {
	if detectors.Check(opts.Detector) == nil {
		return fmt.Errorf("--detector %s is the name of a built-in detector, and the report would confuse the two: "+
			"rename it in the adapter", opts.Detector)
	}

	if _, err := adapted.Open(opts.Adapted, opts.Detector); err != nil {
		return err
	}

	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this executable, to run the detector: %w", err)
	}

	opts.Argv = []string{self, "detector", "--adapted", opts.Adapted, opts.Detector}
	return nil
}

// result is the result for one entry: a verdict, or the reason for its absence.
type result struct {
	verdict contracts.DetectorVerdict
	failed  string
}

// askAll sends every entry to the detector, in an order determined by the run's
// number, and returns the results in the order of entries.
func askAll(ctx context.Context, opts Options, entries []contracts.SecurityEntry) ([]result, error) {
	if len(opts.Argv) > 0 {
		// Pdeathsig applies to the thread that starts the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}

	stderr := subprocess.NewTail(tailSize)
	var p session
	defer func() {
		if p != nil {
			p.stop()
		}
	}()
	results := make([]result, len(entries))
	errored, unanswered := 0, 0
	for n, i := range shuffled(len(entries), opts.Run) {
		id := fmt.Sprintf("r%d", n+1)
		if p == nil {
			var err error
			if p, err = begin(opts, stderr); err != nil {
				return nil, err
			}
		}

		v, err := p.ask(ctx, requestFor(id, entries[i]), opts.EntryTimeout)
		switch {
		case err != nil:
			p.stop()
			p = nil
			if ctx.Err() != nil {
				return nil, fmt.Errorf("interrupted after %d of %d entries: %w", n, len(entries), context.Cause(ctx))
			}

			results[i].failed = renderSafe(err.Error(), maxReason)
		case v.Error != "":
			// The detector follows the protocol, so it need not be restarted.
			results[i].failed = renderSafe("said: "+v.Error, maxReason)
		default:
			results[i].verdict = v
		}

		if results[i].failed != "" {
			errored++
			fmt.Fprintf(opts.Log, "detector %s: entry %s: %s\n", opts.Detector, entries[i].ID, results[i].failed)
		}

		if unanswered++; !errors.Is(err, errNoVerdict) {
			unanswered = 0
		}

		if unanswered == maxConsecutiveTimeouts {
			return nil, fmt.Errorf("hangs: %d consecutive entries had no verdict within %v%s", maxConsecutiveTimeouts,
				opts.EntryTimeout, stderrNote(stderr))
		}

		if errored > len(entries)/2 {
			return nil, fmt.Errorf("failed on %d of the %d entries shown, more than half of all %d; the last: %s%s",
				errored, n+1, len(entries), results[i].failed, stderrNote(stderr))
		}
	}

	if p != nil {
		if err := p.finish(opts.EntryTimeout); err != nil {
			// All verdicts are in, so how it ended cannot change them.
			fmt.Fprintf(opts.Log, "detector %s: after the last verdict: %v\n", opts.Detector, err)
		}
	}

	if errored > 0 {
		fmt.Fprintf(opts.Log, "detector %s: failed on %d of %d entries%s\n", opts.Detector, errored, len(entries),
			stderrNote(stderr))
	}

	return results, nil
}

// shuffled returns 0..n-1 in an order determined by seed. It uses the raw output
// of the generator, because what math/rand/v2 derives from it may change with Go.
func shuffled(n, seed int) []int {
	source := rand.NewPCG(uint64(seed), 0)
	order := make([]int, n)
	for i := range order {
		j, _ := bits.Mul64(source.Uint64(), uint64(i+1))
		order[i] = order[j]
		order[j] = i
	}
	return order
}

// stderrNote quotes the end of the detector's stderr.
func stderrNote(t *subprocess.Tail) string {
	text := strings.TrimSpace(t.String())
	if text == "" {
		return " (it wrote nothing to stderr)"
	}
	var b strings.Builder
	b.WriteString("; the end of its stderr:")
	for line := range strings.Lines(text) {
		b.WriteString("\n  ")
		b.WriteString(renderSafe(strings.TrimRight(line, "\r\n"), tailSize))
	}
	return b.String()
}

// requestLine encodes a request as a line.
func requestLine(r contracts.DetectorRequest) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	// Write < and not \u003c, for detectors without a JSON parser.
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return b.Bytes(), err
}

// requestFor returns the request for an entry. The id is chosen by the caller,
// because the id of the entry would reveal its label.
func requestFor(id string, e contracts.SecurityEntry) contracts.DetectorRequest {
	return contracts.DetectorRequest{
		Protocol: contracts.DetectorProtocol,
		ID:       id,
		Tool: contracts.DetectorTool{
			Server:       e.Server,
			Name:         e.Name,
			Description:  e.Description,
			InputSchema:  e.InputSchema,
			OutputSchema: e.OutputSchema,
			Annotations:  e.Annotations,
		},
		Peers:              e.Peers,
		Approved:           e.Approved,
		ServerInstructions: e.ServerInstructions,
	}
}
