package check

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkSchema finds orders in parts of a schema where prose does not belong:
// names, enumerations, defaults, examples, patterns, comments.
var checkSchema = Check{schemaInfo, inspectSchema}

var schemaInfo = Info{
	ID: "schema.carrier", Tier: Hard, ThreatType: ToolPoisoning,
	Description: "orders in parameter names, enum values, defaults, examples, patterns or comments of a schema",
	Why:         "reviewers skip schemas, and models read them",
	Do:          "Quarantine the tool until its author has removed the text from the schema.",
}

func inspectSchema(v *frames.Reading, r *tool.Registry) []Signal {
	var best [frames.Count]frames.Hit
	for _, h := range v.Frames(r) {
		switch v.Fields[v.Docs[h.Doc].Field].Kind {
		case tool.KindParamName, tool.KindEnum, tool.KindDefault, tool.KindPattern, tool.KindComment, tool.KindOther, tool.KindTitle, tool.KindExample, tool.KindJoined, tool.KindAnnotation, tool.KindExtra:
			if h.Weight > best[h.Frame].Weight {
				best[h.Frame] = h
			}
		}
	}
	sum, strongest := 0.0, frames.ID(0)
	for f := range best {
		sum += best[f].Weight
		if best[f].Weight > best[strongest].Weight {
			strongest = frames.ID(f)
		}
	}
	if sum >= 1.2 && (best[strongest].Weight >= frames.SoftWeight || v.Fields[v.Docs[best[strongest].Doc].Field].Kind != tool.KindJoined) {
		h := best[strongest]
		d := &v.Docs[h.Doc]
		s := Signal{CheckID: schemaInfo.ID, Tier: Soft, ThreatType: ToolPoisoning,
			Confidence: min(sum/3, 1),
			Detail:     v.Where(&v.Fields[d.Field]) + "; " + frames.Names[strongest]}.quotingDoc(v, d, int(h.Start), int(h.End))
		if k := v.Fields[d.Field].Kind; sum >= 2.4 && h.Weight >= 2 && k != tool.KindExample && k != tool.KindTitle && !v.Purpose().Any(concept.Meta) {
			s.Tier = Hard
		}
		return []Signal{s}
	}
	return nil
}
