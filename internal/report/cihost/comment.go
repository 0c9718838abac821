package cihost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// maxComment is GitHub's limit for a comment in characters.
const maxComment = 65_536

// ErrNotAllowed means that the token may not write comments, as that of a pull request
// from a fork may not.
var ErrNotAllowed = errors.New("the token may not write comments")

// Comments are the comments of one pull request.
type Comments struct {
	API        string // such as https://api.github.com
	Repository string // OWNER/NAME
	Number     int    // of the pull request
	Token      string
	Client     *http.Client
}

type comment struct {
	ID          int64  `json:"id"`
	Body        string `json:"body"`
	Association string `json:"author_association"`
	User        struct {
		Type string `json:"type"`
	} `json:"user"`
}

// Set writes a comment, or changes the one that it wrote before: the comment that begins
// with the marker of this name. Set returns ErrNotAllowed if the token may not write.
func (c *Comments) Set(ctx context.Context, name, text string) error {
	marker := "<!-- touchstone: " + strings.ReplaceAll(name, "--", "__") + " -->\n"
	body := map[string]string{"body": marker + shortened(text, maxComment-len(marker))}
	id, err := c.find(ctx, strings.TrimSuffix(marker, "\n"))
	if err != nil {
		return err
	}
	if id != 0 {
		return c.call(ctx, http.MethodPatch, fmt.Sprintf("issues/comments/%d", id), body, nil)
	}
	return c.call(ctx, http.MethodPost, fmt.Sprintf("issues/%d/comments", c.Number), body, nil)
}

// find returns the id of the comment with a marker, or 0. A comment of anyone else is not
// it, though it has the marker: its author could change the verdict later.
func (c *Comments) find(ctx context.Context, marker string) (int64, error) {
	const perPage = 100
	for page := 1; ; page++ {
		var list []comment
		path := fmt.Sprintf("issues/%d/comments?per_page=%d&page=%d", c.Number, perPage, page)
		if err := c.call(ctx, http.MethodGet, path, nil, &list); err != nil {
			return 0, err
		}

		for _, it := range list {
			if strings.HasPrefix(it.Body, marker) && it.trusted() {
				return it.ID, nil
			}
		}

		if len(list) < perPage {
			return 0, nil
		}
	}
}

// trusted reports whether an app, or somebody who can write to the repository, wrote it.
func (it *comment) trusted() bool {
	switch it.Association {
	case "OWNER", "MEMBER", "COLLABORATOR":
		return true
	}
	return it.User.Type == "Bot"
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 32 << 20

func (c *Comments) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}

		body = bytes.NewReader(text)
	}

	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.API, "/")+"/repos/"+c.Repository+"/"+path,
		body)
	if err != nil {
		return err
	}

	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("Authorization", "Bearer "+c.Token)
	resp, err := c.Client.Do(req)
	if err != nil {
		return err
	}

	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return err
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden,
		resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s %s: %s: %w", method, path, resp.Status, ErrNotAllowed)
	case resp.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, text)
	case out != nil:
		if err := json.Unmarshal(text, out); err != nil {
			return fmt.Errorf("%s %s: the answer is not what GitHub's API returns: %w", method, path, err)
		}
	}

	return nil
}

// shortened cuts a text at the end of a line if it has more than limit bytes.
func shortened(text string, limit int) string {
	const end = "\n\nThe rest is in the report.\n"
	if len(text) <= limit {
		return text
	}

	text = text[:limit-len(end)]
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}

	for !utf8.ValidString(text) && text != "" {
		text = text[:len(text)-1]
	}

	return text + end
}
