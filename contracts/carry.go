package contracts

// A query of the golden set goes through the files of a run: as the result of one
// run, as a summary over all runs, and as their likes for a query that no tool
// serves. These methods are the only place that carries its fields along, so a
// field that is added to two of these types is added here as well.

// Result is a result of the query without an answer.
func (q *Query) Result() QueryResult {
	return QueryResult{ID: q.ID, Query: q.Query, Language: q.Language, Tags: q.Tags, Labels: q.Labels, Notes: q.Notes}
}

// Unanswerable is the result of a query that no tool serves. It has no metrics.
func (r *QueryResult) Unanswerable() UnanswerableResult {
	return UnanswerableResult{
		ID: r.ID, Query: r.Query, Language: r.Language, Tags: r.Tags, Labels: r.Labels, Notes: r.Notes,
		Ranked: r.Ranked, Error: r.Error, Anomalies: r.Anomalies,
	}
}

// Summary is a summary of the query over no runs yet.
func (r *QueryResult) Summary() QuerySummary {
	return QuerySummary{ID: r.ID, Query: r.Query, Language: r.Language, Tags: r.Tags, Labels: r.Labels, Notes: r.Notes}
}

// Summary is a summary of the query over no runs yet.
func (r *UnanswerableResult) Summary() NoAnswerQuery {
	return NoAnswerQuery{ID: r.ID, Query: r.Query, Language: r.Language, Tags: r.Tags}
}
