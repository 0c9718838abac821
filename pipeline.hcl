# The evaluation of an MCP proxy, declared. Read this file first: everything
# that a run does stands here, and `touchstone plan` says what of it is due.

pipeline {
  name             = "touchstone"
  required_version = ">= 0.1.0"
  verdict          = stage.gate.verdict
  publish = {
    reports = stage.render.reports
  }
}

variable "corpus" {
  type        = string
  default     = "datasets/corpus_v1.json"
  description = "The frozen tools that the proxy has to search."
}

variable "golden" {
  type        = string
  default     = "datasets/golden_v1.json"
  description = "The labelled queries over the corpus."
}

variable "security" {
  type        = string
  default     = "datasets/security_v1.json"
  description = "The labelled tool definitions that detectors are scored on."
}

variable "baseline" {
  type        = string
  default     = "datasets/baseline_v1.json"
  description = "Reference figures and thresholds; without the file, figures are reported and not judged."
}

variable "runs" {
  type        = number
  default     = 3
  description = "How often retrieval and detection are measured, each time in another order."
  validation {
    condition     = var.runs >= 1 && var.runs <= 100
    error_message = "Give runs a number from 1 to 100."
  }
}

variable "detectors" {
  type        = list(string)
  default     = ["scanner", "unicode", "directives", "shadowing", "keywords"]
  description = "What score-security scores: names of touchstone detector --help and of external_detectors."
}

variable "external_detectors" {
  type        = map(object({ dir = string, command = list(string) }))
  default     = {}
  description = "Detectors from elsewhere, by name: dir holds all that one consists of, and {dir} in its command stands for where the stage finds that."
}

variable "search" {
  type        = string
  default     = "mcp"
  description = "The search path to drive: mcp (retrieve_tools) or rest."
  validation {
    condition     = contains(["mcp", "rest"], var.search)
    error_message = "Set search to mcp or rest."
  }
}

variable "proxy_source" {
  type        = string
  default     = ""
  description = "A directory to build the proxy from; empty for the reference proxy."
}

variable "proxy_build" {
  type        = list(string)
  default     = []
  description = "The command that builds proxy_binary inside a copy of proxy_source."
}

variable "proxy_binary" {
  type        = string
  default     = "proxy"
  description = "What proxy_build leaves, relative to proxy_source."
}

variable "proxy_args" {
  type        = list(string)
  default     = []
  description = "Arguments that the proxy is started with, before those that name its configuration."
}

variable "degrade" {
  type        = string
  default     = ""
  description = "Harm the reference proxy's index on purpose, to see the gate fail: drop-descriptions, reverse-top or hide=TOOL_ID."
}

locals {
  runs         = range(1, var.runs + 1)
  degrade      = var.degrade == "" ? [] : ["--degrade", var.degrade]
  from_source  = var.proxy_source != ""
  has_baseline = var.baseline == "" ? false : fileexists(var.baseline)
}

# Nothing unvalidated is ever scored: the later stages read what this stage
# hands on, byte for byte, and not the source files.
stage "validate-datasets" {
  description = "Check every dataset and hand on those that hold."
  inputs = {
    corpus   = var.corpus
    golden   = var.golden
    security = var.security
    lock     = "datasets/lock.json"
  }
  outputs = {
    corpus   = "out/corpus.json"
    golden   = "out/golden.json"
    security = "out/security.json"
    report   = "out/validation.json"
  }
  command = [
    "touchstone", "stage", "validate-datasets",
    "--corpus", input.corpus, "--golden", input.golden, "--security", input.security, "--lock", input.lock,
    "--out-corpus", output.corpus, "--out-golden", output.golden, "--out-security", output.security,
    "--out-report", output.report,
  ]
  timeout = "2m"
}

stage "build-proxy" {
  description = "Build the proxy under test, or name the embedded one."
  inputs = {
    source = local.from_source ? { path = var.proxy_source, exclude = [".git/**"] } : null
  }
  outputs = {
    proxy = "out/proxy/"
  }
  command = concat(
    ["touchstone", "stage", "build-proxy", "--out", output.proxy],
    local.from_source ? concat(
      ["--source", input.source, "--binary", var.proxy_binary],
      flatten([for word in var.proxy_args : ["--arg", word]]),
      ["--"], var.proxy_build,
    ) : [],
  )
  passthrough = local.from_source ? ["HOME", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"] : []
  env         = local.from_source ? { PATH = "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" } : {}
  network     = local.from_source ? "full" : "none"
  timeout     = "15m"
}

stage "snapshot-index" {
  description = "Start the proxy over the frozen tools and record what it indexed."
  inputs = {
    proxy  = stage.build-proxy.proxy
    corpus = stage.validate-datasets.corpus
  }
  outputs = {
    index = "out/index.json"
  }
  command = concat(
    ["touchstone", "stage", "snapshot-index", "--proxy", input.proxy, "--corpus", input.corpus, "--out", output.index],
    local.degrade,
  )
  network = "loopback"
  timeout = "5m"
}

stage "score-retrieval" {
  description = "Put every query to the proxy's real search and score the ranked lists."
  matrix {
    run = local.runs
  }
  inputs = {
    proxy  = stage.build-proxy.proxy
    corpus = stage.validate-datasets.corpus
    golden = stage.validate-datasets.golden
    index  = stage.snapshot-index.index
  }
  outputs = {
    report = "out/retrieval.json"
  }
  command = concat(
    [
      "touchstone", "stage", "score-retrieval",
      "--proxy", input.proxy, "--corpus", input.corpus, "--golden", input.golden, "--index", input.index,
      "--run", matrix.run, "--search", var.search, "--out", output.report,
    ],
    local.degrade,
  )
  network = "loopback"
  timeout = "10m"
}

stage "score-security" {
  description = "Put every security entry to a detector and count what it flags."
  matrix {
    detector = var.detectors
    run      = local.runs
  }
  inputs = {
    security = stage.validate-datasets.security
    detector = try(var.external_detectors[matrix.detector].dir, null)
  }
  outputs = {
    report = "out/security.json"
  }
  command = concat(
    [
      "touchstone", "stage", "score-security",
      "--security", input.security, "--detector", matrix.detector, "--run", matrix.run, "--out", output.report,
    ],
    input.detector == null ? [] : concat(["--"], [
      for word in var.external_detectors[matrix.detector].command : replace(word, "{dir}", input.detector)
    ]),
  )
  timeout = "10m"
}

stage "aggregate" {
  description = "Bring all runs together, with intervals, beside the baseline."
  inputs = {
    validation = stage.validate-datasets.report
    retrieval  = stage.score-retrieval.report
    security   = stage.score-security.report
    baseline   = local.has_baseline ? var.baseline : null
  }
  outputs = {
    aggregate = "out/aggregate.json"
  }
  command = concat(
    [
      "touchstone", "stage", "aggregate",
      "--validation", input.validation, "--retrieval", input.retrieval, "--security", input.security,
      "--out", output.aggregate,
    ],
    local.has_baseline ? ["--baseline", input.baseline] : [],
  )
  timeout = "5m"
}

stage "gate" {
  description = "Judge the figures by the baseline's thresholds."
  inputs = {
    aggregate = stage.aggregate.aggregate
    baseline  = local.has_baseline ? var.baseline : null
  }
  outputs = {
    verdict = "out/gate.json"
  }
  command = concat(
    ["touchstone", "stage", "gate", "--aggregate", input.aggregate, "--out", output.verdict],
    local.has_baseline ? ["--baseline", input.baseline] : [],
  )
  timeout = "1m"
}

stage "render" {
  description = "Write the reports."
  inputs = {
    aggregate = stage.aggregate.aggregate
    gate      = stage.gate.verdict
  }
  outputs = {
    reports = "out/reports/"
  }
  command = ["touchstone", "stage", "render", "--aggregate", input.aggregate, "--gate", input.gate, "--out", output.reports]
  timeout = "2m"
}
