package detectors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// maxRequest is the length in bytes of the longest accepted request line. A
// longer line is skipped and answered with an error.
const maxRequest = 64 << 20

// Serve runs the named detector until in ends. It answers each line of in with
// one line on out, immediately. It returns an error only for an unknown name and
// for failures of in or out. For a request that cannot be judged, the verdict
// contains an error.
func Serve(name string, in io.Reader, out io.Writer) error {
	judge, err := build(name)
	if err != nil {
		return err
	}
	return ServeFunc(judge, in, out)
}

// ServeFunc is like Serve, for a detector given as a function.
func ServeFunc(judge func(contracts.DetectorRequest) (contracts.DetectorVerdict, error), in io.Reader,
	out io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readlimit.Line(r, maxRequest)
		if err == io.EOF {
			return nil
		}

		var v contracts.DetectorVerdict
		if err == readlimit.ErrLineTooLong {
			v.Error = fmt.Sprintf("the request is longer than %d bytes: send a shorter one", maxRequest)
			err = readlimit.SkipLine(r)
		}

		switch {
		case err != nil:
			return fmt.Errorf("read the next request: %w", err)
		case v.Error != "":
		case len(bytes.TrimSpace(line)) == 0:
			continue
		default:
			v = answer(judge, line)
		}

		b, err := verdictLine(v)
		if err != nil {
			return err
		}

		if _, err := out.Write(b); err != nil {
			return fmt.Errorf("write the verdict on %s: %w", v.ID, err)
		}
	}
}

// Judge returns a function that judges requests of this process like the detector that Serve runs. Their JSON values
// have to be what an encoder writes, without insignificant space.
func Judge(name string) (func(contracts.DetectorRequest) contracts.DetectorVerdict, error) {
	judge, err := build(name)
	if err != nil {
		return nil, err
	}
	return func(r contracts.DetectorRequest) contracts.DetectorVerdict {
		v := verdict(judge, r)
		v.Protocol = contracts.DetectorProtocol
		return v
	}, nil
}

// verdictLine encodes a verdict as a line.
func verdictLine(v contracts.DetectorVerdict) ([]byte, error) {
	v.Protocol = contracts.DetectorProtocol
	if v.ID == "" || len(v.ID) > 256 || strings.ContainsFunc(v.ID, isSpaceOrControl) {
		// The schema requires an id, but the request had no valid one.
		v.ID = "unknown"
	}

	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the verdict on %s: %w", v.ID, err)
	}

	return append(b, '\n'), nil
}

// isSpaceOrControl reports whether an id must not contain r.
func isSpaceOrControl(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// answer judges one line. It reports any failure, including a panic, in the
// verdict, so that the failure does not affect the next line.
func answer(judge detector, line []byte) contracts.DetectorVerdict {
	request, err := contracts.Decode[contracts.DetectorRequest]("request", line)
	if err != nil {
		return contracts.DetectorVerdict{ID: request.ID, Error: err.Error()}
	}
	return verdict(judge, request)
}

// verdict judges one request.
func verdict(judge detector, request contracts.DetectorRequest) (v contracts.DetectorVerdict) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}

		if err != nil {
			v = contracts.DetectorVerdict{Error: err.Error()}
		}

		v.ID = request.ID
	}()
	v, err = judge(request)
	return v
}
