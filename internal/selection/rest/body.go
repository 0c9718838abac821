package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection/exchange"
)

// Bounds of a request's body, in bytes, and of the time that it may take to
// arrive. Lists of tools to compare are larger than other requests.
const (
	maxBody     = 1 << 20
	maxToolList = 16 << 20
	bodyTimeout = time.Minute
)

// maxBodyOf is the largest body of a path.
func maxBodyOf(path string) int64 {
	switch path {
	case importPath:
		return exchange.MaxFile
	case analyzePath, matrixPath, recommendationsPath:
		return maxToolList
	}
	return maxBody
}

// readBody reads the whole body before the request is handled, so that a client
// that is slow or sends too much holds nothing else up.
func readBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}

		control := http.NewResponseController(w)
		// A writer without deadlines is one of a test.
		_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
		limit := maxBodyOf(r.URL.Path)
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			writeProblem(w, http.StatusRequestEntityTooLarge,
				fmt.Sprintf("the body is larger than %d MiB: split it", limit>>20))
			return
		case err != nil:
			writeProblem(w, http.StatusRequestTimeout, "the body did not arrive as announced")
			return
		}

		_ = control.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
