package undertest

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
)

// talk returns a conversation with a program that answers each request with the next of
// the replies, in which ID stands for the id of the request.
func talk(t *testing.T, replies ...string) *conversation {
	t.Helper()
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	t.Cleanup(func() { requests.Close(); answers.Close() })
	go func() {
		defer out.Close()
		buffer := make([]byte, 1<<16)
		for i, reply := range replies {
			if _, err := in.Read(buffer); err != nil {
				return
			}
			reply = strings.ReplaceAll(reply, "ID", string(rune('1'+i)))
			if _, err := io.WriteString(out, reply); err != nil {
				return
			}
		}
		_, _ = in.Read(buffer)
	}()
	stopped := make(chan struct{})
	t.Cleanup(func() { close(stopped) })
	return newConversation(requests, answers, stopped)
}

func search(ctx context.Context, c *conversation) (contracts.SearchReply, error) {
	return c.ask(ctx, contracts.SearchRequest{Op: contracts.OpSearch, Query: "q", Limit: 3})
}

const good = `{"protocol":1,"id":"ID","tools":[{"id":"a:b"}]}` + "\n"

// Each answer that is not one of the protocol fails its own request only.
func TestConversationFailsOneRequest(t *testing.T) {
	for bad, want := range map[string]string{
		"loading\n":                      "is not JSON",
		"7\n":                            "must be an object",
		`{"protocol":1,"id":"9"}` + "\n": `answered with the id "9"`,
		`{"protocol":2,"id":"ID","tools":[]}` + "\n":      "protocol",
		`{"protocol":1,"id":"ID","results":[]}` + "\n":    `unknown field "results"`,
		`{"protocol":1,"id":"ID","error":"full"}` + "\n":  `reports the error "full"`,
		`{"protocol":1,"id":"ID","tools":["a:b"]}` + "\n": "must be an object",
	} {
		c := talk(t, good, bad, good)
		for i := range 3 {
			_, err := search(t.Context(), c)
			if isBad := i == 1; isBad != (err != nil) || isBad && !strings.Contains(err.Error(), want) {
				t.Errorf("%q, request %d: got %v, want %q", bad, i+1, err, want)
			}
		}
	}
}

// A late answer is not taken for that to the next request.
func TestConversationSkipsLateAnswers(t *testing.T) {
	c := talk(t, "", strings.Replace(good, "ID", "1", 1)+good)
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := search(soon, c); err == nil {
		t.Fatal("there was no answer")
	}
	if reply, err := search(t.Context(), c); err != nil || reply.ID != "2" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestConversationEnds(t *testing.T) {
	c := talk(t, good)
	if _, err := search(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := search(t.Context(), c); err == nil || err.Error() != ErrBroken.Error() {
			t.Errorf("got %v", err)
		}
	}
}
