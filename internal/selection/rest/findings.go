package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/scanner"
)

// findings are the scanner's findings in the tools that a run offered.
type findings struct {
	listPage[scanner.Finding]
	Coverage  scanner.Coverage `json:"coverage"`
	RiskScore int              `json:"risk_score" doc:"0 to 100"`
}

func (s *Service) addFindings() {
	register(s, huma.Operation{
		OperationID: "get-findings", Method: http.MethodGet, Path: runsPath + "/{id}/findings", Tags: []string{"runs"},
		Summary: "Scan the tools that a run offered to the model",
		Description: "The scanner judges names, descriptions and schemas of all tools of the run together, offline. " +
			"A tool without signals is not listed.",
	}, func(ctx context.Context, in *byID) (*tagged[findings], error) {
		if _, err := s.Store.Run(ctx, in.ID); err != nil {
			return nil, err
		}

		tools, err := s.Store.Tools(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		var scanned []scanner.Tool
		for _, t := range tools {
			scanned = append(scanned, scanner.Tool{
				Server: t.Server, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema,
				OutputSchema: t.OutputSchema,
			})
		}

		all, err := scanner.New()
		if err != nil {
			return nil, err
		}

		report := all.Scan(scanned)
		return answer(in.Conditional,
			findings{newListPage(report.Findings, len(report.Findings)), report.Coverage, report.RiskScore})
	})
}
