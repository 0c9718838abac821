package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// readLiveMCPBench reads the servers of LiveMCPBench (Mo et al.,
// arXiv:2508.01780), each with the answers of its parts to tools/list, and its
// tasks, each with the names of the tools that an annotator solved it with.
func readLiveMCPBench(im *importer, files []File) ([]Imported, error) {
	var tools []contracts.Tool
	var tasks []liveTask
	for _, f := range files {
		rows, err := im.rows(f)
		if err != nil {
			return nil, err
		}

		for i, o := range rows {
			switch {
			case o.has("tools"):
				listed, err := liveTools(o)
				if err != nil {
					return nil, fmt.Errorf("%s: server %d: %w", f.Name, i+1, err)
				}

				tools = append(tools, listed...)
			case o.has("Question"):
				task, err := newLiveTask(o)
				if err != nil {
					return nil, fmt.Errorf("%s: task %d: %w", f.Name, i+1, err)
				}

				tasks = append(tasks, task)
			default:
				return nil, fmt.Errorf("%s: element %d has neither \"tools\" (a server) nor \"Question\" (a task); "+
					"check that it is a file of LiveMCPBench", f.Name, i+1)
			}
		}
	}

	return im.corpusAndGolden(tools, im.liveQueries(tools, tasks))
}

func liveTools(o *object) ([]contracts.Tool, error) {
	var servers map[string]struct {
		Tools []listedTool `json:"tools"`
	}
	if err := o.take("tools", &servers); err != nil {
		return nil, err
	}

	var tools []contracts.Tool
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		for _, t := range servers[name].Tools {
			tools = append(tools, contracts.Tool{
				Server: serverName(name), Tool: t.Name, Description: t.Description, Schema: t.InputSchema,
				OutputSchema: objectOf(t.OutputSchema), Annotations: objectOf(t.Annotations),
			})
		}
	}

	return tools, nil
}

// liveTask is a task of LiveMCPBench. Its tools have no servers.
type liveTask struct {
	id, text string
	tools    []string
}

// liveStep is the number in front of a tool in the list of a task.
var liveStep = lazyregexp.New(`^\d+[.)]\s*`)

func newLiveTask(o *object) (liveTask, error) {
	var t liveTask
	var annotation struct{ Tools string }
	err := o.all(map[string]any{"task_id": &t.id, "Question": &t.text, "Annotator Metadata": &annotation})
	if err != nil {
		return t, err
	}

	for line := range strings.Lines(annotation.Tools) {
		name := strings.TrimSpace(liveStep().ReplaceAllString(strings.TrimSpace(line), ""))
		if name != "" && !slices.Contains(t.tools, name) {
			t.tools = append(t.tools, name)
		}
	}

	return t, nil
}

// liveQueries makes queries of the tasks all of whose tools are listed. A task
// does not say which server a tool is of: if several have one of that name, each
// is acceptable, and none is the right one.
func (im *importer) liveQueries(tools []contracts.Tool, tasks []liveTask) []contracts.Query {
	servers := map[string][]string{}
	for _, t := range tools {
		if !slices.Contains(servers[t.Tool], t.Server) {
			servers[t.Tool] = append(servers[t.Tool], t.Server)
		}
	}

	var queries []contracts.Query
	for _, task := range tasks {
		missing := slices.DeleteFunc(slices.Clone(task.tools), func(name string) bool { return servers[name] != nil })
		if len(missing) > 0 {
			im.recordMapping("left out: task %s, because no server lists its tool %s", task.id,
				strings.Join(missing, ", "))
			continue
		}

		q := contracts.Query{ID: task.id, Query: task.text}
		for _, name := range task.tools {
			relevance := maxRelevance
			if len(servers[name]) > 1 {
				relevance = 1
				im.recordMapping("the tool %s of a task is acceptable, not right, on each of %s", name,
					strings.Join(servers[name], ", "))
			}

			for _, server := range servers[name] {
				q.Labels = append(q.Labels, contracts.Label{ToolID: server + ":" + name, Relevance: relevance})
			}
		}

		if len(q.Labels) == 0 {
			im.recordMapping("left out: task %s, which names no tool", task.id)
			continue
		}

		queries = append(queries, q)
	}

	return queries
}
