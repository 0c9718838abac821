package undertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// conversation is the client of a program that answers lines of JSON with lines of
// JSON (contracts.SearchRequest). It is not safe for concurrent use.
//
// A request without a valid answer fails alone. Its answer may still come later, and
// is then skipped, because the id of each answer names its request.
type conversation struct {
	in      io.Writer
	answers <-chan readlimit.Read
	asked   int
	failed  map[string]bool // ids of requests without a valid answer
}

// newConversation starts to read out, until the program is stopped.
func newConversation(in io.Writer, out io.Reader, stopped <-chan struct{}) *conversation {
	return &conversation{in: in, answers: readlimit.Lines(out, maxAnswer, stopped), failed: map[string]bool{}}
}

// ask sends a request, sets its protocol and id, and returns the answer.
func (c *conversation) ask(ctx context.Context, r contracts.SearchRequest) (contracts.SearchReply, error) {
	c.asked++
	r.Protocol, r.ID = contracts.SearchProtocol, strconv.Itoa(c.asked)
	text, err := json.Marshal(r)
	if err != nil {
		return contracts.SearchReply{}, err
	}

	// If the program does not read, the write blocks until the program is stopped. A
	// failed write needs no handling: a program that does not read does not answer.
	go func() { _, _ = c.in.Write(append(text, '\n')) }()
	reply, err := c.answer(ctx, r.ID)
	if err != nil {
		c.failed[r.ID] = true
	}

	if err == nil && reply.Error != "" {
		err = fmt.Errorf("it reports the error %s", quoteStart([]byte(reply.Error)))
	}

	return reply, err
}

// answer waits for the answer to the request id, and skips answers to requests that
// failed.
func (c *conversation) answer(ctx context.Context, id string) (contracts.SearchReply, error) {
	for {
		var l readlimit.Read
		open := true
		select {
		case l, open = <-c.answers:
		case <-ctx.Done():
			return contracts.SearchReply{}, ctx.Err()
		}

		switch {
		case errors.Is(l.Err, readlimit.ErrLineTooLong):
			return contracts.SearchReply{}, fmt.Errorf("it wrote a line of more than %d MiB", maxAnswer>>20)
		case l.Err != nil, !open: // each later request finds the end, too
			return contracts.SearchReply{}, ErrBroken
		}

		reply, err := decodeReply(l.Line)
		switch {
		case err != nil:
			return reply, err
		case reply.ID == id:
			return reply, nil
		case !c.failed[reply.ID]:
			return reply, fmt.Errorf("it answered with the id %q, but the request has another: the answers must "+
				"come in the order of the requests, one for each, with its id", reply.ID)
		}
	}
}

// decodeReply checks one line against the protocol, because a misspelled field must not
// look like an empty result.
func decodeReply(text []byte) (contracts.SearchReply, error) {
	if !json.Valid(text) {
		return contracts.SearchReply{}, fmt.Errorf("its answer is not JSON: %s; a program may print other lines only "+
			"on standard error", quoteStart(text))
	}

	reply, err := contracts.Decode[contracts.SearchReply]("reply", text)
	var file *contracts.FileError
	if !errors.As(err, &file) {
		return reply, err
	}

	var messages []string
	for _, p := range file.Problems {
		messages = append(messages, p.Message)
	}

	return reply, fmt.Errorf("its answer is not one of the search protocol: %s; it begins %s",
		strings.Join(messages, "; "), quoteStart(text))
}
