package adapter

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// request is one request to the proxy: an HTTP request (Path), a call of an MCP
// tool (Call), or MCP's own list of tools (ListTools).
type request struct {
	Method    string         `hcl:"method,optional"`
	Path      hcl.Expression `hcl:"path,optional"`
	Params    hcl.Expression `hcl:"params,optional"`
	Headers   hcl.Expression `hcl:"headers,optional"`
	Body      hcl.Expression `hcl:"body,optional"`
	Call      string         `hcl:"call,optional"`
	Arguments hcl.Expression `hcl:"arguments,optional"`
	ListTools bool           `hcl:"list_tools,optional"`
	Rest      hcl.Body       `hcl:",remain"`
	at        hcl.Range
}

// given reports whether an optional expression is set.
func given(e hcl.Expression) bool {
	if e == nil {
		return false
	}
	v, diags := e.Value(nil)
	return diags.HasErrors() || !v.IsNull()
}

func decodeRequest(body hcl.Body) (request, hcl.Diagnostics) {
	var r request
	diags := gohcl.DecodeBody(body, nil, &r)
	r.at = body.MissingItemRange()
	if diags.HasErrors() {
		return r, diags
	}

	kinds := 0
	for _, there := range []bool{given(r.Path), r.Call != "", r.ListTools} {
		if there {
			kinds++
		}
	}

	if kinds != 1 {
		diags = append(diags, problem(r.at, "not exactly one kind of request",
			"Give exactly one of path (an HTTP request), call (a tool over MCP) and list_tools = true (MCP's own "+
				"list)."))
	}

	return r, diags
}

// decodeOptionalRequest returns nil for a block without a request.
func decodeOptionalRequest(body hcl.Body) (*request, hcl.Diagnostics) {
	attrs, _ := body.JustAttributes()
	if len(attrs) == 0 {
		return nil, nil
	}
	r, diags := decodeRequest(body)
	if !diags.HasErrors() {
		diags = append(diags, nothingMore(r.Rest)...)
	}
	return &r, diags
}

// nothingMore refuses the attributes and blocks that were not decoded.
func nothingMore(rest hcl.Body) hcl.Diagnostics {
	_, diags := rest.Content(&hcl.BodySchema{})
	return diags
}

// Question is a request with its values: either an HTTP request (URL is relative to
// the proxy's address) or an MCP call.
type Question struct {
	Method, URL string
	Headers     map[string]string
	Body        []byte

	Call      string
	Arguments map[string]any
	ListTools bool
}

// fill evaluates the request.
func (r *request) fill(s scope) (Question, error) {
	if r.ListTools {
		return Question{ListTools: true}, nil
	}

	if r.Call != "" {
		q := Question{Call: r.Call, Arguments: map[string]any{}}
		if !given(r.Arguments) {
			return q, nil
		}

		v, err := s.native(r.Arguments, "arguments")
		if err != nil {
			return q, err
		}

		arguments, ok := v.(map[string]any)
		if !ok {
			return q, fmt.Errorf("arguments must be a map")
		}

		// An argument that is null is left out, as a header or a parameter is.
		q.Arguments = maps.Clone(arguments)
		maps.DeleteFunc(q.Arguments, func(_ string, v any) bool { return v == nil })
		return q, nil
	}

	path, err := s.text(r.Path, "path")
	if err != nil {
		return Question{}, err
	}

	q := Question{Method: r.Method, URL: path}
	params, err := s.texts(r.Params, "params")
	if err != nil {
		return q, err
	}

	if len(params) > 0 {
		values := url.Values{}
		for name, v := range params {
			values.Set(name, v)
		}

		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}

		q.URL += separator + values.Encode()
	}

	if q.Headers, err = s.texts(r.Headers, "headers"); err != nil {
		return q, err
	}

	if given(r.Body) {
		v, err := s.value(r.Body, "body")
		if err != nil {
			return q, err
		}

		if v.Type() == cty.String {
			q.Body = []byte(v.AsString())
		} else if q.Body, err = ctyjson.Marshal(v, v.Type()); err != nil {
			return q, fmt.Errorf("body: %w", err)
		}
	}

	if q.Method == "" {
		q.Method = "GET"
		if q.Body != nil {
			q.Method = "POST"
		}
	}

	return q, nil
}

// decodeAnswer decodes the text of an answer. The value is nil if the text is not
// JSON; the text itself stays available.
func decodeAnswer(body []byte) (v any, isJSON bool) {
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, false
	}
	return v, true
}
