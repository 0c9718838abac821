package input

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// isMessage reports whether a value is a message of JSON-RPC.
func isMessage(v value) bool {
	_, ok, _ := get(v.object(), "jsonrpc")
	return ok
}

// batch reads a list of messages.
func (d *document) batch(elements []value) error {
	d.several = true
	for i, e := range elements {
		if !e.is('{') {
			d.unreadable(Unscanned{
				Server: d.server, Place: d.place(e.start),
				Reason: fmt.Sprintf("element %d of the batch is no message of JSON-RPC", i+1),
				Remedy: "correct it, or remove it",
			})
			continue
		}

		if err := d.object(e); err != nil {
			return err
		}
	}

	return nil
}

// passMessage passes over a message of a recording that has no definitions: a request, a
// notification, or the answer to another request. It reports whether v is one.
func (d *document) passMessage(v value, want map[string]member) bool {
	if want["jsonrpc"].end == 0 || !d.several {
		return false
	}

	result, answers := want["result"]
	_, asks := want["method"]
	_, fails := want["error"]
	if fails || answers && isAnswer(result.object()) || !asks && !answers {
		return false
	}

	if answers && slices.ContainsFunc(result.object(), func(m member) bool { return m.name == "instructions" }) {
		return false
	}

	if d.messages++; d.messages == 1 {
		d.messagesAt = d.place(v.start)
	}

	return true
}

// passMessages records what passMessage passed over. A file with nothing else is of
// another kind. start is the offset of its first value.
func (d *document) passMessages(start int) error {
	if d.messages == 0 {
		return nil
	}

	if len(d.in.Tools)+len(d.in.Others)+len(d.in.Servers)+len(d.in.Unscanned) == 0 && !d.listed {
		return d.otherKind(start, "none of its JSON-RPC messages is an answer with definitions")
	}

	what := "1 JSON-RPC message is"
	if d.messages > 1 {
		what = fmt.Sprintf("%d JSON-RPC messages are", d.messages)
	}

	d.in.PassedOver = append(d.in.PassedOver,
		PassedOver{Path: d.messagesAt.String(),
			Group: "messages of JSON-RPC that are no answers with definitions", Reason: what +
				" no answer with definitions: requests, notifications, or answers to other requests"})
	return nil
}

// rpcError handles the answer of a server that refused to list its tools.
func (d *document) rpcError(e member) error {
	text := "no message"
	if m, ok, _ := get(e.object(), "message"); ok {
		if s, ok := m.str(); ok {
			text = s
		}
	}

	d.unreadable(Unscanned{
		Server: d.server, Place: d.place(e.at),
		Reason: fmt.Sprintf("the server answered with an error instead of its tools: %s", safetext.Clip(text, 200)),
		Remedy: "ask it again once it works",
	})
	return nil
}
