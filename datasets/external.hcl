# Datasets of other projects. None of them is in this repository: many have no
# licence that allows copies. "touchstone data external" says which are on this
# machine, and runs detectors and retrievers on those. docs/how-to/use-external-datasets.md
# explains this file.

external "agent-egress-bench" {
  about    = "Cases for tools that watch the traffic of agents. Those in which a server lists tools are read: a small part of it."
  source   = "https://github.com/luckyPipewrench/agent-egress-bench"
  revision = "9cd77708a031817212ba9873edeb42beff3a024d"
  license  = "Apache-2.0"
  format   = "agent-egress-bench"
  files    = ["cases/*/*.json"]
  sha256   = "e609abd394cff0c6c6fd11af65523bbf6c943accb8f4d5d4549b3e7aa2747999"
}

external "damn-vulnerable-mcp-server" {
  about    = "Servers with holes, for exercises. Two tools have orders for the model in their descriptions; the others are innocent as definitions."
  source   = "https://github.com/harishsg993010/damn-vulnerable-MCP-server"
  revision = "c7cb1e95ec2596bf0e989b70e7b954f364da03a2"
  license  = "NOASSERTION" # the README says MIT, and the licence file that it names is missing
  format   = "server-sources"
  files    = ["challenges/*/*/server.py"]
  sha256   = "4db28b80a71f1ba8a1a172cfd45e98e6e835c065229a4db77c055687b074882a"
  attacks = {
    "challenge2:get_company_data"        = "tool_poisoning"
    "challenge2:search_company_database" = "tool_poisoning"
  }
}

external "injecagent" {
  about   = "Test cases of InjecAgent (Zhan et al., ACL Findings 2024): orders in the results of tools."
  source  = "https://github.com/uiuc-kang-lab/InjecAgent"
  license = "MIT"
  format  = "injecagent"
}

external "livemcpbench" {
  about    = "Real servers with the tools that they listed, and tasks with the tools that an annotator used (Mo et al., arXiv:2508.01780). The tools are taken to be innocent."
  source   = "https://github.com/icip-cas/LiveMCPBench"
  revision = "a928e57d1ee7a25579b9a7036030faffff72d15b"
  license  = "Apache-2.0"
  format   = "livemcpbench"
  files    = ["annotated_data/all_annotations.json", "tools/LiveMCPTool/tools.json"]
  url      = "https://raw.githubusercontent.com/icip-cas/LiveMCPBench/a928e57d1ee7a25579b9a7036030faffff72d15b/"
  sha256   = "14a5f6028dafd9fbe3e4de8a18a9b53e399ce7616aef0bd1e9f40d1dbc285629"
}

external "mcp-guardbench" {
  about   = "Messages of servers with the action that a guard should take. Those that list tools or give instructions are read."
  source  = "https://github.com/getmcpm/mcp-guardbench"
  license = "MIT"
  format  = "mcp-guardbench"
  files   = ["cases/*/*.json"]
}

external "mcpproxy-go-detect" {
  about    = "The corpus on which mcpproxy-go judges its detectors."
  source   = "https://github.com/smart-mcp-proxy/mcpproxy-go"
  revision = "20a3e5094ad613cf0b153648b19e13fd6ef1615d"
  license  = "MIT"
  format   = "mcpproxy-go"
  files    = ["specs/065-evaluation-foundation/datasets/detect_corpus_v1.json"]
  url      = "https://raw.githubusercontent.com/smart-mcp-proxy/mcpproxy-go/20a3e5094ad613cf0b153648b19e13fd6ef1615d/"
  sha256   = "f065459c097492254588f66216cd205cd74bdd604d4c90e91cafc1c1ed5f3bb2"
}

external "mcpproxy-go-retrieval" {
  about    = "The corpus, with schemas, and the golden set on which mcpproxy-go judges its search."
  source   = "https://github.com/smart-mcp-proxy/mcpproxy-go"
  revision = "20a3e5094ad613cf0b153648b19e13fd6ef1615d"
  license  = "MIT"
  format   = "mcpproxy-go"
  files    = ["specs/083-discovery-profiler/datasets/corpus_v2.tools.json", "specs/065-evaluation-foundation/datasets/retrieval_golden_v1.json"]
  url      = "https://raw.githubusercontent.com/smart-mcp-proxy/mcpproxy-go/20a3e5094ad613cf0b153648b19e13fd6ef1615d/"
  sha256   = "f31f79152002b1e185428367328535a90e1b7482b5ba1ede15cf0e2c8e0f3a5f"
}

external "mcptox" {
  about    = "Poisoned tools of 45 real servers, and the servers' own tools (Wang et al., arXiv:2508.14925)."
  source   = "https://github.com/zhiqiangwang4/MCPTox-Benchmark"
  revision = "f85189f9ad12504c197c7f920ab818a40657b1fa"
  license  = "NOASSERTION" # the repository has no licence
  format   = "mcptox"
  files    = ["response_all.json"]
}

external "metatool" {
  about    = "Tools without schemas, 20,550 queries that one tool serves, and 497 that take two (Huang et al., arXiv:2310.03128)."
  source   = "https://github.com/HowieHwong/MetaTool"
  revision = "35e81bb7576826e980c80fed8f8c0a2b4a1e6fbb"
  license  = "MIT"
  format   = "metatool"
  files    = ["dataset/data/all_clean_data.csv", "dataset/data/multi_tool_query_golden.json", "dataset/plugin_des.json"]
  url      = "https://raw.githubusercontent.com/HowieHwong/MetaTool/35e81bb7576826e980c80fed8f8c0a2b4a1e6fbb/"
  sha256   = "9142c5769d4487c8bd812f3250de072ee4628a33f6e17b01c3be51290270a2b8"
}

external "toolret" {
  about   = "Tools and queries of many benchmarks (Shi et al., ACL Findings 2025), exported from its tables as JSON lines."
  source  = "https://huggingface.co/datasets/mangopy/ToolRet-Queries"
  license = "NOASSERTION" # it combines benchmarks under different licences
  format  = "toolret"
}
