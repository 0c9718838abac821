package metrics

import (
	"cmp"
	"maps"
	"slices"
)

// Topic is one topic (here a query): its ranked list evaluated against its
// judgements. Its methods are the measures, as trec_eval 9.0.7 defines them. k
// counts results from the top and must be positive. A list shorter than k
// counts as padded with results that are not relevant.
//
// A topic without a relevant label scores 0 in every measure.
type Topic struct {
	// hits are the judged results, best first.
	hits []Hit
	// ideal holds all positive judgements, highest first.
	ideal []int
	// relevant is the number of judgements at or above level.
	relevant int
	level    int
}

// Hit is a judged result: its rank in the list, from 1, and its relevance,
// which is not negative.
type Hit struct{ Rank, Relevance int }

// EvaluateTopic evaluates a ranked list of ids, best first, against the
// judgements (id to relevance). A negative relevance means that the document
// was pooled but never judged, and counts as absent. level is the lowest
// relevance that the binary measures count as relevant; trec_eval's default is
// 1. nDCG uses every positive relevance as its gain, whatever the level.
//
// An id that occurs twice in the list counts at its first place only.
func EvaluateTopic(ranked []string, judged map[string]int, level int) Topic {
	var hits []Hit
	var seen []string
	for i, id := range ranked {
		if rel, ok := judged[id]; ok && rel >= 0 && !slices.Contains(seen, id) {
			hits = append(hits, Hit{i + 1, rel})
			seen = append(seen, id)
		}
	}
	return TopicOf(hits, slices.Collect(maps.Values(judged)), level)
}

// TopicOf is EvaluateTopic for a caller that has the ranks of the judged
// results. hits are in the order of their ranks. relevances are those of all
// judgements, in any order.
func TopicOf(hits []Hit, relevances []int, level int) Topic {
	t := Topic{hits: hits, level: level}
	for _, rel := range relevances {
		if rel > 0 {
			t.ideal = append(t.ideal, rel)
		}
		if t.counts(rel) {
			t.relevant++
		}
	}
	slices.SortFunc(t.ideal, func(a, b int) int { return cmp.Compare(b, a) })
	return t
}

// found counts the relevant results among the first k.
func (t Topic) found(k int) int {
	n := 0
	for _, hit := range t.hits {
		if hit.Rank <= k && t.counts(hit.Relevance) {
			n++
		}
	}
	return n
}

func (t Topic) counts(rel int) bool { return rel >= 0 && rel >= t.level }

// Recall is the share of the relevant documents that are among the first k
// (trec_eval: recall_k).
func (t Topic) Recall(k int) float64 {
	if t.relevant == 0 {
		return 0
	}
	return float64(t.found(k)) / float64(t.relevant)
}

// Precision is the share of relevant documents among the first k (P_k). The
// denominator is k even if fewer were retrieved.
func (t Topic) Precision(k int) float64 { return float64(t.found(k)) / float64(k) }

// Success is 1 if a relevant document is among the first k, and 0 otherwise
// (success_k).
func (t Topic) Success(k int) float64 {
	if t.found(k) > 0 {
		return 1
	}
	return 0
}

// ReciprocalRank is 1 / the rank of the first relevant document, or 0 if none
// was retrieved (recip_rank). Its mean over topics is MRR.
func (t Topic) ReciprocalRank() float64 {
	for _, hit := range t.hits {
		if t.counts(hit.Relevance) {
			return 1 / float64(hit.Rank)
		}
	}
	return 0
}

// AveragePrecision is the mean, over all relevant documents, of the precision
// at the rank of each. A document that was not retrieved counts 0 (trec_eval:
// map, before the mean over topics).
func (t Topic) AveragePrecision() float64 {
	sum, found := 0.0, 0
	for _, hit := range t.hits {
		if t.counts(hit.Relevance) {
			found++
			sum += float64(found) / float64(hit.Rank)
		}
	}
	if found == 0 {
		return 0
	}
	return sum / float64(t.relevant)
}

// NDCG is the discounted cumulative gain of the first k, divided by that of the
// best possible list (ndcg_cut_k). The gain is the relevance itself and the
// discount log2(rank+1). The best list consists of all judged documents.
// Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the discount that
// trec_eval uses.
func (t Topic) NDCG(k int) float64 {
	best := 0.0
	for i, gain := range t.ideal[:min(k, len(t.ideal))] {
		best += float64(gain) / log2(i+2)
	}

	if best == 0 {
		return 0
	}

	sum := 0.0
	for _, hit := range t.hits {
		if hit.Rank <= k {
			sum += float64(hit.Relevance) / log2(hit.Rank+1)
		}
	}

	return sum / best
}
