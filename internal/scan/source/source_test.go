package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

func brief(f *Found) string {
	var b strings.Builder
	for _, d := range f.Definitions {
		fmt.Fprintf(&b, "%d %d %s %q %q %q\n", d.Line, d.Kind, d.Name, d.Title, d.Description, d.Texts)
	}
	for _, p := range f.Problems {
		fmt.Fprintf(&b, "%d %s: %s\n", p.Line, p.Name, p.Reason)
	}
	return strings.TrimSpace(b.String())
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"Go, options", "a.go", `package a
const text = "Adds " + "numbers."
var t = mcp.NewTool("add", mcp.WithDescription(text), mcp.WithString("x", mcp.Required(), mcp.Description("The " + "first.")), mcp.WithTitleAnnotation("Add"))
var p = mcp.NewPrompt("p", mcp.WithPromptDescription(fmt.Sprint(1)))
`, `3 0 add "Add" "Adds numbers." ["x" "The first."]
4 1 p "" "" []
4 p: a part of its description is computed when the server runs`},
		{"Go, literals", "a.go", `package a
func f() {
	mcp.AddTool(s, &mcp.Tool{Name: "add", Title: "T", Description: ` + "`Adds\nnumbers.`" + `, Meta: mcp.Meta{"k": "v"}}, func() { print("body") })
	x := other.Tool{Size: 3}
	s.AddPrompt(&mcp.Prompt{Name: name, Description: "P"}, nil)
	s.AddResource(&mcp.Resource{Name: "r", URI: "file:///r"}, nil)
}
`, `3 0 add "T" "Adds\nnumbers." ["k" "v"]
6 1  "" "P" []
7 2 file:///r "" "" ["r"]
6 : its name is computed when the server runs`},
		{"Go, translated and computed", "a.go", `package a
const key = "KEY"
func f(t translator) {
	s.AddTool(mcp.Tool{Name: "me", Description: t("KEY_ME", "Gets the user."), Title: t.T(key, "Me")})
	s.AddTool(mcp.Tool{Name: "you", Description: fmt.Sprintf("Gets %s, unless %v.", who, "nobody asks")})
	s.AddTool(mcp.Tool{Name: "they", Description: t(key, text())})
}
`, `4 0 me "Me" "Gets the user." []
5 0 you "" "" ["Gets %s, unless %v." "nobody asks"]
6 0 they "" "" []
5 you: a part of its description is computed when the server runs
6 they: a part of its description is computed when the server runs`},
		{"Python, enumerations and translations", "a.py", `
class Names(str, Enum):
    STATUS = "git_status"
    DIFF = "git_" + "diff"
def list_tools():
    return [
        Tool(name=Names.STATUS, description=_("Shows the state."), inputSchema=S.schema()),
        Tool(name=Names.DIFF.value, description="Shows " + what + " changes"),
        Tool(name=Names.OTHER, description="O"),
    ]
`, `7 0 git_status "" "Shows the state." []
8 0 git_diff "" "Shows  changes" []
9 0  "" "O" []
8 git_diff: a part of its description is computed when the server runs
9 : its name is computed when the server runs`},
		{"TypeScript, tools by name", "a.ts", `
export const defs = {
  list_teams: { description: "Lists the teams.", parameters: z.object({}), title: "Teams" },
  get_team: tool({ description: "Gets " + "a team.", inputSchema: z.object({ id: z.string().describe("The id.") }), execute: async () => {} }),
  made: tool({ description: make(), inputSchema: z.object({}) }),
};
const api = { get: { description: "Gets a pet by id.", parameters: [{ name: "id" }] } };
const schema = { properties: { description: { type: "string" }, parameters: { type: "object" } } };
`, `3 0 list_teams "Teams" "Lists the teams." []
4 0 get_team "" "Gets a team." ["The id."]
5 0 made "" "" []
5 made: a part of its description is computed when the server runs`},
		{"TypeScript, classes", "a.ts", `
export class FindTool extends MongoDBToolBase<Config> {
  static toolName = "find";
  public description = "Runs a " + "query.";
  public argsShape = { limit: z.number().describe("The limit."), filter };
  static operationType: OperationType = "read";
  async execute() { const name = "x"; return { description: "no" }; }
}
class Toolbar { name = "bar"; description = "Not a tool."; }
class Made extends BaseTool { name = make(); description = "Made."; }
`, `2 0 find "" "Runs a query." ["The limit."]
10 0  "" "Made." []
10 : its name is computed when the server runs`},
		{"TypeScript, enumerations", "a.ts", `
enum ToolName { ECHO = "echo", ADD = "add" }
const TEXTS = { echo: "Says it again.", "add": "Adds." } as const;
server.registerTool(ToolName.ECHO, {description: TEXTS.echo}, h);
const tools = [{name: ToolName.ADD, description: i18n.t("tools.add", "Adds numbers."), inputSchema: {}}];
`, `4 0 echo "" "Says it again." []
5 0 add "" "Adds numbers." []`},
		{"Go, functions of the program", "a.go", `package a
var a = grafana.MustTool("list_teams", "Lists the " + "teams.", listTeams, mcp.WithTitleAnnotation("Teams"))
var b = newTool("x", text, h)
var c = s.RemoveTool("list_teams", "Gone for good.")
var d = callTool("https://a.example/x", "Says hello there.", nil)
`, `2 0 list_teams "Teams" "Lists the teams." []`},
		{"Go, instructions", "a.go", `package a
var s = server.NewMCPServer("s", "1", server.WithInstructions("Be " + "kind."))
var t = mcp.NewServer(nil, &mcp.ServerOptions{Instructions: text()})
`, `2 3  "" "Be kind." []
3 (instructions): a part of the instructions is computed when the server runs`},
		{"Python, other ways", "a.py", `
mcp = FastMCP("demo", instructions="Be kind.")
class Args(BaseModel):
    q: str = Field(description="The query.")
def late(x: Args):
    """Comes late."""
mcp.add_tool(late)
mcp.tool()(late)
mcp.tool(late, name="other", description="Other.")
mcp.add_tool(imported)
TOOLS = [{"name": "a", "description": "A", "inputSchema": {"type": "object"}}]
`, `2 3  "" "Be kind." []
7 0 late "" "Comes late." ["The query."]
8 0 late "" "Comes late." ["The query."]
9 0 other "" "Other." ["The query."]
11 0 a "" "A" ["inputSchema" "type" "object"]
10 imported: its definition is not in this call, and was not found in the source`},
		{"TypeScript, other ways", "a.ts", `
import { DESC, cfg } from "./texts";
const server = new McpServer({name: "s", version: "1"}, {instructions: "Be kind."});
const schema = z.object({x: z.string().describe("The x.")});
const options = {description: "Does it.", inputSchema: schema.shape};
server.tool("imp", DESC, {}, h);
server.registerTool("imp2", cfg, h);
server.registerTool("b", options, h);
server.registerTool("c", {description: "C", inputSchema: schema.shape}, h);
server.tool("d", schema, h);
`, `3 3  "" "Be kind." []
6 0 imp "" "" []
7 0 imp2 "" "" []
8 0 b "" "Does it." ["The x."]
9 0 c "" "C" ["The x."]
10 0 d "" "" ["The x."]
6 imp: its definition is not in this call, and was not found in the source
7 imp2: its definition is not in this call, and was not found in the source`},
		{"Go, tags", "a.go", `package a
type Args struct {
	City string ` + "`json:\"city\" jsonschema:\"the city, by name\"`" + `
	More []Part
}
type Part struct {
	Unit string ` + "`jsonschema:\"required,description=C or F\\\\, in capitals,enum=C,enum=F\"`" + `
	Day string ` + "`json:\"day\" jsonschema_description:\"Which day\"`" + `
}
type Stray struct { X int ` + "`jsonschema:\"nobody takes it\"`" + ` }
type Plain struct { X int ` + "`json:\"x\"`" + ` }
func weather(ctx context.Context, req *mcp.CallToolRequest, in Args) (*mcp.CallToolResult, Plain, error) { return nil, Plain{}, nil }
func f() {
	mcp.AddTool(s, &mcp.Tool{Name: "weather", Description: "W"}, weather)
	tool := mcp.NewTool("days", mcp.WithDescription("D"))
	s.AddTool(tool, mcp.NewTypedToolHandler(func(ctx context.Context, r mcp.CallToolRequest, p Part) (*mcp.CallToolResult, error) { return nil, nil }))
	_ = mcp.NewTool("typed", mcp.WithInputSchema[Part]())
}
`, `14 0 weather "" "W" ["the city, by name" "C or F, in capitals" "C" "F" "Which day"]
15 0 days "" "D" ["C or F, in capitals" "C" "F" "Which day"]
17 0 typed "" "" ["C or F, in capitals" "C" "F" "Which day"]
10 : the tags of Stray describe parameters, and no tool of the source takes it: scan the running server`},
		{"Python, decorators", "a.py", `# @mcp.tool()
TEXT = ("Adds "
        "numbers.")

@mcp.tool()
async def add(a: Annotated[int, Field(description="The first")], b: str = "x") -> dict[str, int]:
    """Adds numbers.

    Args: a
    """
    return "@mcp.tool"

@mcp.tool(name="sub", description=TEXT, title='T')
@traced
def subtract(a): return 1

@mcp.prompt
def ask(): return "no doc"

@mcp.resource("file:///{p}")
def res(p: str) -> str:
    'R\u0041 \'x\''

@mcp.tool(description=f"Uses {MODEL} always.")
def use(): pass

@cached
def plain():
    """Not a tool."""
`, `5 0 add "" "Adds numbers.\n\n    Args: a" ["The first" "x"]
13 0 sub "T" "Adds numbers." []
17 1 ask "" "" []
20 2 file:///{p} "" "RA 'x'" []
24 0 use "" "Uses … always." []
24 use: a part of its description is computed when the server runs`},
		{"Python, calls", "a.py", `class Tool(Base): pass
async def list_tools():
    return [
        types.Tool(
            name="add", description=textwrap.dedent("""
                Adds numbers."""),
            inputSchema={"type": "object", "properties": {"a": {"description": "The first"}}},
        ),
        Tool(name=NAME, description="N"),
        Tool(kind="hammer"),
    ]
`, `4 0 add "" "\n                Adds numbers." ["type" "object" "properties" "a" "description" "The first"]
9 0  "" "N" []
9 : its name is computed when the server runs`},
		{"TypeScript, calls", "a.ts", `// server.tool("no")
const DESC = "Adds " + 'numbers.';
const re = /["'{(]/g, half = a / b;
server.registerTool("add", {title: "T", description: DESC, inputSchema: {a: z.number().describe("The first")}}, async ({a}) => ({text: "body"}));
server.tool("sub", ` + "`Subtracts\n${what}.`" + `, {a: z.string().describe('A')}, (x) => { return "body"; });
server.tool("three", async () => {});
server.prompt("p", "P", cb);
server.resource("r", "file:///r", async (uri) => {});
server.addTool({name: "fast", description: "F", parameters: z.object({}), execute: async () => "body"});
const got = registry.tool("add"); other.tool(x, y);
server.registerTool(name, {description: make()}, cb);
`, `4 0 add "T" "Adds numbers." ["The first"]
5 0 sub "" "Subtracts\n…." ["A"]
7 0 three "" "" []
8 1 p "" "P" []
9 2 file:///r "" "" ["r"]
10 0 fast "" "F" []
12 0  "" "" []
5 sub: a part of its description is computed when the server runs
12 : its name is computed when the server runs
12 : a part of its description is computed when the server runs`},
		{"TypeScript, lists", "a.js", `const SEARCH: Tool = {
  name: "search",
  description: "Searches. " +
    "Slowly.",
  inputSchema: { type: "object", properties: { q: { type: "string", description: "Query\x21\u{21}" } } },
};
const person = { name: "Ann", description: "A person" };
export const tools = [{ name: 'list', inputSchema: {} }], prompts = [{ name: "p", arguments: [{ name: "x", description: "X" }] }];
`, `1 0 search "" "Searches. Slowly." ["object" "string" "Query!!"]
8 0 list "" "" []
8 1 p "" "" ["x" "X"]`},
	} {
		found, err := Find(tt.file, tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := brief(found); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	if _, err := Find("a.go", "package"); err == nil {
		t.Error("a file of Go that cannot be parsed has no error")
	}
	if Supported("a.json") || !Supported("A.PY") {
		t.Error("the languages are wrong")
	}
}

// Long texts are read, also with brackets that nothing closes. If the time grew with the
// square of the length, this test would not end.
func TestLongSources(t *testing.T) {
	for _, seed := range []string{"(", "{name:", "`${", "x.tool(\"a\",", "@a.tool(", "@a.tool\ndef f()\n", "const a=(", "'", "Tool(name=", "a+", "{name:\"a\",inputSchema:"} {
		for _, file := range []string{"a.ts", "a.py"} {
			_, err := Find(file, strings.Repeat(seed, level.Rounds(30_000, 200_000)))
			if err != nil && file == "a.py" {
				t.Error(err)
			}
		}
	}
}

// Constants that double a text do not take more memory than the bound allows.
func TestDoublingConstants(t *testing.T) {
	py, golang := []string{`A0 = "0123456789abcdef"`}, []string{"package a", `const A0 = "0123456789abcdef"`}
	for i := range 60 {
		py = append(py, fmt.Sprintf("A%d = A%d + A%d", i+1, i, i))
		golang = append(golang, fmt.Sprintf("const A%d = A%d + A%d", i+1, i, i))
	}
	py = append(py, `Tool(name="a", description=A60)`)
	golang = append(golang, `var t = mcp.NewTool("a", mcp.WithDescription(A60))`)
	for file, lines := range map[string][]string{"a.py": py, "a.go": golang} {
		found, err := Find(file, strings.Join(lines, "\n"))
		if err != nil || len(found.Definitions) != 1 || len(found.Problems) != 1 || len(found.Definitions[0].Description) > maxText {
			t.Errorf("%s: %v, %d problems", file, err, len(found.Problems))
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, file := range []string{"a.go", "a.py", "a.ts"} {
		f.Add(file, "package a\nvar x = mcp.NewTool(\"a\", mcp.WithDescription(\"b\"))")
		f.Add(file, "@m.tool(name='a')\ndef f(x='y'):\n  '''doc'''\n")
		f.Add(file, "s.tool(\"a\", `b ${c}`, {x: z.string()}, async () => {}); const a = {name: 'b', inputSchema: {}}")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		if !Supported(file) || len(text) > 1<<12 {
			return
		}
		found, err := Find(file, text)
		if err != nil {
			return
		}
		lines := 1 + strings.Count(text, "\n")
		for _, d := range found.Definitions {
			if d.Line < 1 || d.Line > lines {
				t.Errorf("line %d of %d", d.Line, lines)
			}
		}
	})
}
