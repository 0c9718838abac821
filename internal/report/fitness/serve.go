package fitness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// maxCandidate is the length in bytes of the longest accepted line.
const maxCandidate = 64 << 20

// Serve reads candidates from in, one per line, and writes a fitness line for
// each to out, in the same order. It scores as many candidates in parallel as
// there are processors. It answers a line that it cannot score with an error and
// continues. It returns at the end of in, or on an error of in, out or ctx.
func (e *Evaluator) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan []byte)
	var readErr error
	go func() {
		readErr = readCandidates(ctx, in, read)
		close(read)
	}()
	// Each line gets a channel for its answer. The writer reads the channels in
	// the order of the lines.
	answers := make(chan chan contracts.Fitness, runtime.GOMAXPROCS(0)-1)
	written := make(chan error, 1)
	go func() {
		written <- writeAnswers(out, answers)
		cancel()
	}()
	err := e.answerAll(ctx, read, answers)
	close(answers)
	if err == nil {
		err = readErr // set before the channel was closed
	}

	if writeErr := <-written; writeErr != nil {
		return writeErr
	}

	return err
}

// answerAll starts to score each line and queues its answer, until lines is
// closed or ctx ends.
func (e *Evaluator) answerAll(ctx context.Context, lines <-chan []byte, answers chan<- chan contracts.Fitness) error {
	for {
		var line []byte
		var more bool
		select {
		case line, more = <-lines:
		case <-ctx.Done():
			return ctx.Err()
		}

		if !more {
			return nil
		}

		answer := make(chan contracts.Fitness, 1)
		select {
		case answers <- answer:
			go func() { answer <- e.answer(ctx, line) }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// readCandidates sends each line that is not empty.
func readCandidates(ctx context.Context, in io.Reader, to chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readlimit.Line(r, maxCandidate)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, readlimit.ErrLineTooLong):
			return fmt.Errorf("a candidate is longer than %d bytes; send a shorter one", maxCandidate)
		case err != nil:
			return fmt.Errorf("read the next candidate: %w", err)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}

		select {
		case to <- line:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// answer scores one line.
func (e *Evaluator) answer(ctx context.Context, line []byte) contracts.Fitness {
	candidate, err := contracts.Decode[contracts.Candidate]("candidate", line)
	if err != nil {
		// If the id is readable, include it, so that the sender can tell which
		// line failed.
		var named struct{ ID string }
		if json.Unmarshal(line, &named) != nil || named.ID == "" {
			named.ID = "unknown"
		}

		return contracts.Fitness{ID: named.ID, Error: err.Error()}
	}

	f, err := e.Score(ctx, candidate)
	if err != nil {
		return contracts.Fitness{ID: candidate.ID, Error: err.Error()}
	}

	return f
}

func writeAnswers(out io.Writer, answers <-chan chan contracts.Fitness) error {
	encoder := json.NewEncoder(out)
	for answer := range answers {
		if err := encoder.Encode(<-answer); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
	return nil
}
