// Package rest is the REST service over the evaluation of tool selection: servers,
// cases, runs and their results, similarity of tools, quality, import and export.
// Its OpenAPI document is generated from this code and served at /openapi.json.
//
//   - service.go builds the handler and serves it until its context ends.
//   - protect.go refuses requests before they reach the API; body.go limits and
//     reads their bodies; guard.go limits where the service itself connects to.
//   - problem.go turns errors into answers, tag.go computes ETags, idempotency.go
//     replays the answers of repeated requests, measure.go counts for Prometheus.
//   - page is the HTML page, which uses the API as any other client does.
//   - The other files are the resources of /api/v1, one each.
//
// The package holds no rule of the evaluation: those are in package selection and
// below it, and the database enforces them. A model's API key arrives in the
// header X-Model-API-Key alone and goes to the runner alone.
package rest
