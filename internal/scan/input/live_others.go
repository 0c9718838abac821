package input

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
	"github.com/touchstone-eval/touchstone/scanner"
)

// methods are the requests for the lists.
var methods = map[string]string{
	"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list",
	"resourceTemplates": "resources/templates/list",
}

// listOthers adds the instructions of a server, and the lists that it says it has. A
// list that fails is recorded as not scanned, and does not hide the others.
func listOthers(ctx context.Context, session *mcp.ClientSession, c *capture, s Server, in *Input) {
	fail := func(what string, err error) {
		reason := what + ": " + err.Error()
		in.Unscanned = append(in.Unscanned,
			s.unscanned(safetext.Clip(s.redact(reason), 500), "ask the server's author, or scan its tools from a file"))
	}
	add := func(list, what string, labels []string, err error) {
		if err == nil || malformed(err) {
			other, err2 := c.read(s, list, labels)
			if err = err2; err == nil {
				in.addAnswer(list, other)
				return
			}
		} else if other, err2 := c.parse(s, list); err2 == nil { // the pages before the one that failed
			other.Unscanned = slices.DeleteFunc(other.Unscanned, func(u Unscanned) bool { return u.goesOn })
			in.addAnswer(list, other)
		}

		if err != nil {
			if cause := errors.Unwrap(err); cause != nil && strings.HasPrefix(err.Error(), "list "+what+": ") {
				err = cause
			}

			fail(what+" could not be listed", err)
		}
	}
	said := session.InitializeResult()
	add("", "its instructions", nil, nil)

	if said.Capabilities == nil {
		return
	}

	if said.Capabilities.Prompts != nil {
		prompts, err := mcpclient.Prompts(ctx, session)
		add("prompts", "its prompts",
			labels(scanner.SubjectPrompt, prompts, func(p *mcp.Prompt) string { return p.Name }), err)
	}

	if said.Capabilities.Resources == nil {
		return
	}

	resources, err := mcpclient.Resources(ctx, session)
	add("resources", "its resources",
		labels(scanner.SubjectResource, resources, func(r *mcp.Resource) string { return r.URI }), err)
	templates, err := mcpclient.ResourceTemplates(ctx, session)
	if mcpclient.Unsupported(err) {
		return // a server with resources need not have templates
	}

	add("resourceTemplates", "its resource templates",
		labels(scanner.SubjectResourceTemplate, templates,
			func(r *mcp.ResourceTemplate) string { return r.URITemplate }), err)
}

// addAnswer adds the answers with a list, or those to initialize and server/discover if list is empty. What stands
// beside a list is said about the server.
func (in *Input) addAnswer(list string, answer *Input) {
	var beside []Tool
	if list != "" {
		beside = slices.Clone(answer.Others)
		isText := func(t Tool) bool { return t.Subject == scanner.SubjectInstructions }
		beside = slices.DeleteFunc(beside, func(t Tool) bool { return !isText(t) })
		answer.Others = slices.DeleteFunc(answer.Others, isText)
	}

	in.add(answer)
	in.addExtraTexts(beside)
}

// labels lists the labels of the elements that are not null.
func labels[T any](subject scanner.Subject, elements []*T, name func(*T) string) []string {
	list := make([]string, 0, len(elements))
	for _, e := range elements {
		if e != nil {
			list = append(list, (&scanner.Tool{Subject: subject, Name: name(e)}).Label())
		}
	}
	return list
}
