package scoreselection

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
)

// Providers that need neither a network nor a key.
const (
	lexical  = "lexical"
	recorded = "replay"
)

// subject is the model that answers the cases.
type subject struct {
	model      model.Model
	settings   selection.Settings
	answeredBy string
	// record is the cassette to save, or nil.
	record *model.Cassette
}

func newSubject(opts Options) (subject, error) {
	provider, name, ok := strings.Cut(opts.Model, "/")
	if !ok || provider == "" || name == "" {
		return subject{}, fmt.Errorf("--model %q is no provider/model: write it as lexical/bm25 or "+
			"replay/ollama/qwen3:8b", opts.Model)
	}

	request, err := opts.request()
	if err != nil {
		return subject{}, err
	}

	request.Provider, request.Model = provider, name
	// Recordings are found by the settings, so the settings depend on the flags
	// only and not on the environment.
	settings, err := request.Resolve(func(string) string { return "" })
	if err != nil {
		return subject{}, fmt.Errorf("model %q: %w", opts.Model, err)
	}

	s := subject{settings: settings, answeredBy: contracts.AnsweredByBaseline}
	var options model.Options
	switch {
	case opts.Record != "" && provider == recorded:
		return s, fmt.Errorf("--record requires a model, but %s is a recording: name the model itself", opts.Model)
	case opts.Record == "" && (opts.APIKey != "" || opts.BaseURL != ""):
		return s, errors.New("--api-key and --base-url require --record: add it")
	case opts.Record == "" && (opts.SystemPrompt != "" || opts.ToolChoice != "" || opts.ParallelToolCalls != ""):
		return s, errors.New("--system-prompt, --tool-choice and --parallel-tool-calls require --record: a cassette " +
			"says how its answers were recorded; leave them out")
	case opts.Record != "":
		if s.record, err = model.LoadCassette(opts.Record); errors.Is(err, os.ErrNotExist) {
			s.record, err = model.NewCassette(), nil
		}

		if err != nil {
			return s, err
		}

		if options.Key, err = model.KeyFrom(opts.APIKey, os.Getenv); err != nil {
			return s, err
		}
	case provider == recorded:
		if opts.Cassette == "" {
			return s, fmt.Errorf("model %s needs --cassette, the file of its recorded answers", opts.Model)
		}

		if options.Cassette, err = model.LoadCassette(opts.Cassette); err != nil {
			return s, err
		}

		if s.settings, err = options.Cassette.AsRecorded(settings); err != nil {
			return s, err
		}

		s.answeredBy = contracts.AnsweredByRecording
	case provider != lexical:
		return s, fmt.Errorf("model %s would be asked over the network, which stages do not have: record its "+
			"answers with --record FILE, then use replay/%[1]s with --cassette FILE", opts.Model)
	}

	if s.model, err = model.New(s.settings, options); err != nil {
		return s, err
	}

	if s.record != nil {
		if s.model, err = model.NewRecorder(s.model, s.record, s.settings, options.Key); err != nil {
			return s, fmt.Errorf("--record %s: %w", opts.Record, err)
		}

		if provider != lexical {
			s.answeredBy = contracts.AnsweredByRecording
		}
	}

	return s, nil
}

// request returns the settings that the options name.
func (opts Options) request() (selection.SettingsRequest, error) {
	request := selection.SettingsRequest{BaseURL: opts.BaseURL, ToolChoice: opts.ToolChoice}
	if opts.ParallelToolCalls != "" {
		parallel, err := strconv.ParseBool(opts.ParallelToolCalls)
		if err != nil {
			return request, fmt.Errorf("--parallel-tool-calls %q is neither true nor false", opts.ParallelToolCalls)
		}

		request.ParallelToolCalls = &parallel
	}

	if opts.SystemPrompt == "" {
		return request, nil
	}

	text, err := os.ReadFile(opts.SystemPrompt)
	if err != nil {
		return request, fmt.Errorf("--system-prompt: %w", err)
	}

	if request.SystemPrompt = strings.TrimSpace(string(text)); request.SystemPrompt == "" {
		return request, fmt.Errorf("--system-prompt: the file %s is empty: write the prompt, or leave out the flag",
			opts.SystemPrompt)
	}

	return request, nil
}
