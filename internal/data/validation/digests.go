package validation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// entryDigest returns the digest of a value in canonical JSON.
func entryDigest(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	canonical, err := contracts.CanonicalJSON(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:8]), nil
}

// digestsOf returns the digests of a list of entries. identity returns the id of
// an entry and what its digest covers.
func digestsOf[T any](kind string, entries []T, identity func(T) (id string, covered any)) (map[string]string, error) {
	digests := make(map[string]string, len(entries))
	for _, e := range entries {
		id, covered := identity(e)
		digest, err := entryDigest(covered)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", kind, id, err)
		}
		digests[id] = digest
	}
	return digests, nil
}

// definitionAndLabel returns an entry without what neither a detector nor its
// score depends on.
func definitionAndLabel(e contracts.SecurityEntry) contracts.SecurityEntry {
	e.ID, e.Provenance = "", contracts.Provenance{}
	e.Severity, e.Technique, e.Carrier, e.Twin, e.Rationale = "", "", "", "", ""
	return e
}

// digestsOfData computes the digests of valid data. cases may be nil.
func digestsOfData(corpus contracts.Corpus, golden contracts.GoldenSet, security contracts.SecurityCorpus,
	cases *contracts.CaseSet) (*contracts.DataDigests, error) {
	var d contracts.DataDigests
	var errs [4]error
	d.Tools, errs[0] = digestsOf(contracts.KindCorpus, corpus.Tools, func(t contracts.Tool) (string, any) {
		return t.ToolID, t
	})
	d.Queries, errs[1] = digestsOf(contracts.KindGolden, golden.Queries, func(q contracts.Query) (string, any) {
		id := q.ID
		q.ID, q.Notes, q.Language, q.Tags = "", "", "", nil
		q.Labels = slices.SortedFunc(slices.Values(q.Labels),
			func(a, b contracts.Label) int { return cmp.Compare(a.ToolID, b.ToolID) })
		return id, q
	})
	d.Entries, errs[2] = digestsOf(contracts.KindSecurity, security.Entries,
		func(e contracts.SecurityEntry) (string, any) {
			id := e.ID
			e = definitionAndLabel(e)
			return id, e
		})
	if cases != nil {
		d.Cases, errs[3] = digestsOf(contracts.KindCases, cases.Cases, func(c contracts.SelectionCase) (string, any) {
			id := c.ID
			c.ID, c.Tags, c.Notes = "", nil, ""
			return id, c
		})
	}

	return &d, errors.Join(errs[:]...)
}
