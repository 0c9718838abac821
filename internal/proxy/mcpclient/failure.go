package mcpclient

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// StartError means that the program of a server could not be started.
type StartError struct{ Err error }

func (e *StartError) Error() string { return "start it: " + e.Err.Error() }

func (e *StartError) Unwrap() error { return e.Err }

// EndedError means that the program of a server ended, or closed its input or output, in
// the middle of the conversation.
type EndedError struct {
	// State says how the program ended, such as "exit status 1" or "signal: killed". It
	// is empty for a program that closed its output and had to be killed.
	State string
	Err   error
}

func (e *EndedError) Error() string {
	if e.State == "" {
		return "it closed its output"
	}
	return "it ended (" + e.State + ")"
}

func (e *EndedError) Unwrap() error { return e.Err }

// AnswerError means that a server at a URL gave an answer that is not MCP: an HTTP
// status that is an error, or another kind of content.
type AnswerError struct {
	Status      int
	ContentType string
	Text        string // the beginning of the answer, if it is plain text or JSON
	Err         error
}

func (e *AnswerError) Error() string {
	text := fmt.Sprintf("it answered with HTTP status %d (%s)", e.Status, http.StatusText(e.Status))
	if e.Status < 400 {
		text = "it answered with content of the type " + e.ContentType
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

func (e *AnswerError) Unwrap() error { return e.Err }

// RedirectError means that a server at a URL redirects to where the caller did not agree
// to go.
type RedirectError struct{ Reason string }

func (e *RedirectError) Error() string { return e.Reason }

// maxAnswerText bounds AnswerError.Text, in bytes.
const maxAnswerText = 300

// ending records whether a program ended its side of the conversation, before this side
// was closed.
type ending struct {
	seen   atomic.Bool
	closed atomic.Bool
	read   chan struct{} // closed when all output has been read
	once   sync.Once
}

func newEnding() *ending { return &ending{read: make(chan struct{})} }

func (e *ending) note(err error) {
	if err != nil && !e.closed.Load() {
		e.seen.Store(true)
	}
}

// endingReader is the output of the program.
type endingReader struct {
	io.ReadCloser
	*ending
}

func (r endingReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.note(err); err != nil {
		r.once.Do(func() { close(r.ending.read) })
	}
	return n, err
}

func (r endingReader) Close() error {
	r.closed.Store(true)
	return r.ReadCloser.Close()
}

// endingWriter is the input of the program.
type endingWriter struct {
	io.WriteCloser
	*ending
}

// Write also waits for the last output of a program that does not read: the caller ends
// the conversation after a failed write.
func (w endingWriter) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	if w.note(err); err != nil {
		select {
		case <-w.read:
		case <-time.After(terminateAfter):
		}
	}
	return n, err
}

func (w endingWriter) Close() error {
	w.closed.Store(true)
	return w.WriteCloser.Close()
}

// outcome is the outcome of the last request of a conversation: nil if the answer may be
// one of MCP.
type outcome struct{ last atomic.Pointer[error] }

// note records the outcome of a request. The request at the end of a session is not
// part of the conversation, and many servers refuse it.
func (o *outcome) note(req *http.Request, err error) {
	if req.Method != http.MethodDelete {
		o.last.Store(&err)
	}
}

// explain returns the failed request behind err, or err. The client library reports only
// the words of a status.
func (o *outcome) explain(err error) error {
	last := o.last.Load()
	if err == nil || last == nil || *last == nil {
		return err
	}
	if answer, ok := (*last).(*AnswerError); ok {
		return &AnswerError{answer.Status, answer.ContentType, answer.Text, err}
	}
	return *last
}

// answered returns the error in the status or the content of an answer, and an answer
// that can still be read.
func answered(resp *http.Response) error {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	plain := mediaType == "" || mediaType == "application/json" || mediaType == "text/plain"
	switch {
	case resp.StatusCode >= 400:
	case resp.StatusCode == http.StatusOK && mediaType != "" && mediaType != "application/json" &&
		mediaType != "text/event-stream":
	default:
		return nil
	}

	e := &AnswerError{Status: resp.StatusCode, ContentType: mediaType}
	if plain {
		head, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswerText))
		resp.Body = readAgain{io.MultiReader(strings.NewReader(string(head)), resp.Body), resp.Body}
		e.Text = strings.TrimSuffix(strings.ToValidUTF8(strings.Join(strings.Fields(string(head)), " "), "\uFFFD"), ".")
	}

	return e
}

type readAgain struct {
	io.Reader
	io.Closer
}
