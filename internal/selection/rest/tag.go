package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// tagged is an answer with its ETag.
type tagged[T any] struct {
	ETag string `header:"ETag"`
	Body T
}

// Conditional is the input of a request that can be answered with 304. It is
// exported since inputs embed it, and reflection has to set it.
type Conditional struct {
	IfNoneMatch string `header:"If-None-Match" doc:"Answer 304 if the ETag is among these"`
}

// entityTag is a digest of the JSON of v.
func entityTag(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`, nil
}

// answer gives v with its ETag, or 304 where the client has it.
func answer[T any](c Conditional, v T) (*tagged[T], error) {
	tag, err := entityTag(v)
	if err != nil {
		return nil, err
	}
	if c.IfNoneMatch != "" && matches(c.IfNoneMatch, tag, true) {
		return nil, huma.ErrorWithHeaders(huma.Status304NotModified(), http.Header{"ETag": {tag}})
	}
	return &tagged[T]{ETag: tag, Body: v}, nil
}

// unchanged fails with 412 where If-Match is given and v is another version.
func unchanged(ifMatch string, v any) error {
	if ifMatch == "" {
		return nil
	}
	tag, err := entityTag(v)
	if err != nil {
		return err
	}
	if !matches(ifMatch, tag, false) {
		return huma.Error412PreconditionFailed("it has been changed since: read it again and repeat the change")
	}
	return nil
}

// matches reports whether a tag is in the list of a header (RFC 9110, 13.1). The
// weak comparison takes no notice of W/.
func matches(list, tag string, weak bool) bool {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if weak {
			one = strings.TrimPrefix(one, "W/")
		}
		if one == "*" || one == tag {
			return true
		}
	}
	return false
}
