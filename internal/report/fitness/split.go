package fitness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// Part says which queries are in one part of the golden set.
type Part struct {
	// Share is the part's share, 0 to 1, of the queries that no file names.
	Share float64
	// Rest means all queries that are in no other part.
	Rest bool
	// File is the file that names the queries, and IDs are its lines. The place
	// of an id in IDs is the number of its line; an empty line names no query.
	File string
	IDs  []string
}

// maxPart is the largest file of a part, in bytes.
const maxPart = 16 << 20

// ReadPart reads a part as a user gives it: a share from 0 to 1, the word rest,
// or the name of a file with the id of one query a line. In a file, a line that
// begins with # is a comment.
func ReadPart(text string) (Part, error) {
	if text == "rest" {
		return Part{Rest: true}, nil
	}

	if share, err := strconv.ParseFloat(text, 64); err == nil {
		if !(share >= 0 && share <= 1) { // written so that NaN is refused too
			return Part{}, fmt.Errorf("the share %s is out of range; give a share from 0 to 1", text)
		}
		return Part{Share: share}, nil
	}

	data, err := readlimit.File(context.Background(), text, maxPart)
	if err != nil {
		return Part{}, fmt.Errorf("%w; give a share from 0 to 1, the word rest, or a file with the id of one query a "+
			"line", err)
	}

	part := Part{File: text, IDs: []string{}}
	for line := range strings.Lines(string(readlimit.WithoutMark(data))) {
		id := strings.TrimSpace(line)
		if strings.HasPrefix(id, "#") {
			id = ""
		}
		part.IDs = append(part.IDs, id)
	}

	return part, nil
}

// parts are the queries of each part, in the order of the golden set. unused are
// in none.
type parts struct {
	train, validation, heldOut, unused []contracts.Query
}

// development returns the queries that an optimiser may see: those with a right
// tool, and not those of the test split.
func development(golden contracts.GoldenSet) []contracts.Query {
	return slices.DeleteFunc(slices.Clone(golden.Queries), func(q contracts.Query) bool {
		return !q.Answerable() || golden.Split(q.ID) == contracts.SplitTest
	})
}

// names of the parts for people, in the order of Options.parts.
var partNames = []string{"train", "validation", "held-out"}

// PartsError says why the queries cannot be divided as Options say.
type PartsError struct{ error }

func (e *PartsError) Unwrap() error { return e.error }

// divide puts the queries of the golden set in parts. Files are followed first.
// Shares are taken of the other queries, in an order that depends on the seed
// and the ids of the queries, so that adding a query moves few of the others.
func divide(golden contracts.GoldenSet, opts Options) (parts, error) {
	usable := development(golden)
	in := make([]int, len(usable)) // the part of each query, from 1
	given := []Part{opts.Train, opts.Validation, opts.HeldOut}
	if err := assignFiles(golden, usable, in, given); err != nil {
		return parts{}, err
	}

	free := shuffled(usable, in, opts.Seed)
	sum, from, rest := 0.0, 0, 0
	for i, p := range given {
		if p.Rest && rest > 0 {
			return parts{}, fmt.Errorf("the %s part and the %s part both get the rest; give it to one of them",
				partNames[rest-1], partNames[i])
		}

		if p.Rest {
			rest = i + 1
		}

		if !(p.Share >= 0 && p.Share <= 1) {
			return parts{}, fmt.Errorf("the share %g of the %s part is out of range; give a share from 0 to 1", p.Share,
				partNames[i])
		}

		if sum += p.Share; sum > 1+1e-9 {
			return parts{}, fmt.Errorf("the shares of the parts sum to %.6g; give shares of at most 1 together", sum)
		}

		to := min(len(free), int(math.Round(sum*float64(len(free)))))
		if p.Share > 0 && to == from {
			return parts{}, fmt.Errorf("a share of %g leaves the %s part empty, of %d queries that no file names; "+
				"give a larger share, or 0 for no such part", p.Share, partNames[i], len(free))
		}

		for _, q := range free[from:to] {
			in[q] = i + 1
		}
		from = to
	}

	for _, q := range free[from:] {
		in[q] = rest
	}

	var d parts
	lists := []*[]contracts.Query{&d.unused, &d.train, &d.validation, &d.heldOut}
	for i, q := range usable {
		*lists[in[i]] = append(*lists[in[i]], q)
	}

	if len(d.train)+len(d.validation) == 0 {
		return parts{}, errors.New("the train part and the validation part are empty, so there is nothing to score " +
			"candidates on; give one of them a share, the word rest, or a file of ids")
	}

	return d, nil
}

// assignFiles puts the queries that files name in their parts.
func assignFiles(golden contracts.GoldenSet, usable []contracts.Query, in []int, given []Part) error {
	for i, p := range given {
		for n, id := range p.IDs {
			if id == "" {
				continue
			}

			problem := ""
			place := slices.IndexFunc(usable, func(q contracts.Query) bool { return q.ID == id })
			switch {
			case place >= 0 && in[place] == i+1:
				problem = fmt.Sprintf("query %s is named twice; name it once", id)
			case place >= 0 && in[place] > 0:
				problem = fmt.Sprintf("query %s is also in the %s part; name it in one file", id,
					partNames[in[place]-1])
			case place >= 0:
				in[place] = i + 1
				continue
			case !slices.ContainsFunc(golden.Queries, func(q contracts.Query) bool { return q.ID == id }):
				problem = fmt.Sprintf("the golden set has no query %s; use ids of the golden set", id)
			case golden.Split(id) == contracts.SplitTest:
				problem = fmt.Sprintf("query %s is in the test split of the golden set, which no optimiser sees; "+
					"leave it out", id)
			default:
				problem = fmt.Sprintf("query %s has no right tool, so no description can serve it; leave it out", id)
			}

			return fmt.Errorf("%s:%d: %s", p.File, n+1, problem)
		}
	}

	return nil
}

// shuffled returns the places of the queries that are in no part, in the order
// of the seed.
func shuffled(queries []contracts.Query, in []int, seed uint64) []int {
	type place struct {
		hash  [sha256.Size]byte
		query int
	}
	var places []place
	for i, q := range queries {
		if in[i] == 0 {
			text := binary.BigEndian.AppendUint64(nil, seed)
			places = append(places, place{sha256.Sum256(append(text, q.ID...)), i})
		}
	}

	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	order := make([]int, len(places))
	for i, p := range places {
		order[i] = p.query
	}

	return order
}
