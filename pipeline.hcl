# The evaluation of an MCP proxy, declared. Read this file first: everything
# that a run does stands here, and `touchstone plan` says what of it is due.

pipeline {
  name             = "touchstone"
  required_version = ">= 0.1.0"
  verdict          = stage.gate.verdict
  baseline         = local.baseline
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
  default     = null
  description = "Reference figures and thresholds, without which nothing is judged: the gate needs the file. By default datasets/baseline_v1.json, and for a proxy that is not the reference proxy datasets/baseline_v1_NAME.json, by its adapter or its binary."
}

variable "runs" {
  type        = number
  default     = 3
  description = "How often retrieval and detection are measured, each time in another order."
  validation {
    condition     = var.runs >= 1 && var.runs <= 100 && var.runs == floor(var.runs)
    error_message = "Give runs a whole number from 1 to 100."
  }
}

variable "detectors" {
  type        = list(string)
  default     = ["scanner", "unicode", "directives", "shadowing", "keywords"]
  description = "What score-security scores: names of touchstone detector --help and of external_detectors."
}

variable "external_detectors" {
  type        = map(object({ dir = string, command = list(string), entry_timeout = optional(string, "10s") }))
  default     = {}
  description = "Detectors from elsewhere, by name: dir holds all that one consists of, {dir} in its command stands for where the stage finds that, and entry_timeout is how long it may take for one entry."
}

variable "mutations" {
  type        = list(string)
  default     = []
  description = "Which of the detectors are also measured on rewritten entries; a few seconds each."
}

variable "held_out" {
  type        = bool
  default     = false
  description = "Rewrite by the held-out operators too; for a touchstone that was built with -tags heldout."
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

variable "proxy" {
  type        = string
  default     = ""
  description = "The proxy under test: the name of an adapter in adapters/, or the path of one. Empty for the reference proxy, or with proxy_source for one that keeps to docs/own-proxy.md."
  validation {
    condition     = var.proxy == "" || fileexists(endswith(var.proxy, ".hcl") ? var.proxy : "adapters/${var.proxy}.hcl")
    error_message = "There is no such adapter: give the name of a file in adapters/ without .hcl (${try(join(", ", [for f in fileset("adapters", "*.hcl") : trimsuffix(f, ".hcl")]), "there is none")}), or the path of an adapter with it."
  }
}

variable "proxy_options" {
  type        = map(string)
  default     = {}
  description = "Settings of the adapter, by the names that it declares."
}

variable "proxy_detectors" {
  type        = list(string)
  default     = null
  description = "Which of the adapter's detectors score-security scores beside the others; by default all."
}

variable "proxy_source" {
  type        = string
  default     = ""
  description = "A directory to build the proxy from; empty for a proxy that is not built."
}

variable "proxy_build" {
  type        = list(string)
  default     = []
  description = "The command that builds the proxy inside a copy of proxy_source; by default what the adapter says, and where it says nothing the source is taken as it is."
}

variable "proxy_binary" {
  type        = string
  default     = ""
  description = "What proxy_build leaves, relative to proxy_source; by default what the adapter says, or proxy."
}

variable "proxy_model" {
  type        = string
  default     = ""
  description = "The directory of a sentence model, as `touchstone models path` prints it, for a proxy that ranks by meaning: the reference proxy then fuses its BM25 with the model's ranking. Empty for none."
}

variable "proxy_image" {
  type        = string
  default     = ""
  description = "The image that proxy_build runs in where stages are containers, NAME@sha256:DIGEST or dir:PATH; elsewhere it changes nothing but the key."
}

variable "proxy_run_image" {
  type        = string
  default     = ""
  description = "The image that the proxy and its detectors run in where stages are containers, for one that starts other programs or is not static; empty for a container that holds touchstone and the proxy alone."
}

variable "proxy_args" {
  type        = list(string)
  default     = []
  description = "Arguments that a proxy without an adapter is started with, before those that name its configuration."
}

variable "proxy_network" {
  type        = string
  default     = "loopback"
  description = "What the proxy may reach: loopback, or full for one that needs a service elsewhere."
  validation {
    condition     = contains(["loopback", "full"], var.proxy_network)
    error_message = "Set proxy_network to loopback or full."
  }
}

variable "proxy_secret" {
  type        = string
  default     = ""
  description = "Where a secret that the proxy needs comes from, env:NAME or file:PATH. Its value is kept nowhere; the proxy finds it in PROXY_SECRET, an adapter as secret."
}

variable "proxy_ready_timeout" {
  type        = string
  default     = "3m"
  description = "How long the proxy may take to index everything."
}

variable "max_failed" {
  type        = number
  default     = 0.5
  description = "The share of queries that may fail before score-retrieval does. Each counts as missed."
  validation {
    condition     = var.max_failed >= 0 && var.max_failed <= 1
    error_message = "Give max_failed a share from 0 to 1."
  }
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
  adapted      = var.proxy != ""
  adapter      = endswith(var.proxy, ".hcl") ? var.proxy : "adapters/${var.proxy}.hcl"
  binary       = var.proxy_binary != "" || local.adapted ? var.proxy_binary : "proxy"
  # Each proxy is judged by figures of its own.
  named        = local.adapted ? "_${trimsuffix(basename(var.proxy), ".hcl")}" : local.from_source ? "_${basename(local.binary)}" : ""
  baseline     = var.baseline == null ? "datasets/baseline_v1${local.named}.json" : var.baseline
  mutated      = length(var.mutations) > 0 ? var.mutations : ["none"]
  has_baseline = local.baseline == "" ? false : fileexists(local.baseline)

  # The adapter's own detectors, by the labels of its blocks.
  described       = local.adapted ? flatten(regexall("(?m)^[ \\t]*detector[ \\t]+\"?([^\"\\s{]+)", file(local.adapter))) : []
  proxy_detectors = var.proxy_detectors == null ? local.described : var.proxy_detectors
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
    adapter = local.adapted ? local.adapter : null
    source  = local.from_source ? { path = var.proxy_source, exclude = [".git/**"] } : null
    model   = var.proxy_model == "" ? null : { path = var.proxy_model }
  }
  outputs = {
    proxy     = "out/proxy/"
    detectors = "out/detectors/"
  }
  command = concat(
    ["touchstone", "stage", "build-proxy", "--out", output.proxy, "--detectors", output.detectors],
    local.adapted ? concat(
      ["--adapter", input.adapter],
      flatten([for name, value in var.proxy_options : ["--option", "${name}=${value}"]]),
    ) : [],
    var.proxy_model == "" ? [] : ["--model", input.model],
    local.from_source ? concat(
      ["--source", input.source],
      local.binary == "" ? [] : ["--binary", local.binary],
      flatten([for word in var.proxy_args : ["--arg", word]]),
      ["--"], var.proxy_build,
    ) : [],
  )
  passthrough = local.from_source ? [
    "HOME", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GOTOOLCHAIN",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE",
  ] : []
  # The place of a build is another each time, and must not be in what it
  # builds: the same source has to give the same bytes.
  env = local.from_source ? {
    PATH    = "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    GOFLAGS = "-trimpath -buildvcs=false"
  } : {}
  image   = local.from_source ? var.proxy_image : ""
  network = local.from_source ? "full" : "none"
  timeout = "15m"
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
    [
      "touchstone", "stage", "snapshot-index", "--proxy", input.proxy, "--corpus", input.corpus,
      "--ready-timeout", var.proxy_ready_timeout, "--out", output.index,
    ],
    local.degrade,
  )
  secrets = { PROXY_SECRET = var.proxy_secret == "" ? null : var.proxy_secret }
  image   = var.proxy_run_image
  network = var.proxy_network
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
      "--run", matrix.run, "--search", var.search, "--ready-timeout", var.proxy_ready_timeout,
      "--max-failed", var.max_failed, "--out", output.report,
    ],
    local.degrade,
  )
  secrets = { PROXY_SECRET = var.proxy_secret == "" ? null : var.proxy_secret }
  image   = var.proxy_run_image
  network = var.proxy_network
  timeout = "10m"
}

stage "score-security" {
  description = "Put every security entry to a detector and count what it flags."
  matrix {
    detector = concat(var.detectors, local.proxy_detectors)
    run      = local.runs
  }
  inputs = {
    security = stage.validate-datasets.security
    detector = try(var.external_detectors[matrix.detector].dir, null)
    adapted  = contains(local.proxy_detectors, matrix.detector) ? stage.build-proxy.detectors : null
  }
  outputs = {
    report = "out/security.json"
  }
  command = concat(
    [
      "touchstone", "stage", "score-security",
      "--security", input.security, "--detector", matrix.detector, "--run", matrix.run, "--out", output.report,
    ],
    input.adapted == null ? [] : ["--adapted", input.adapted],
    input.detector == null ? [] : concat(["--entry-timeout", var.external_detectors[matrix.detector].entry_timeout, "--"], [
      for word in var.external_detectors[matrix.detector].command : replace(word, "{dir}", input.detector)
    ]),
  )
  image   = var.proxy_run_image
  timeout = "10m"
}

stage "score-mutations" {
  description = "Put rewritten entries to a detector: is it the meaning that it knows, or the wording?"
  matrix {
    detector = local.mutated
  }
  inputs = {
    security = stage.validate-datasets.security
    detector = try(var.external_detectors[matrix.detector].dir, null)
    adapted  = contains(local.proxy_detectors, matrix.detector) ? stage.build-proxy.detectors : null
  }
  outputs = {
    report = "out/mutations.json"
  }
  command = concat(
    ["touchstone", "stage", "score-mutations", "--security", input.security, "--out", output.report],
    length(var.mutations) > 0 ? ["--detector", matrix.detector] : [],
    var.held_out ? ["--held-out"] : [],
    input.adapted == null ? [] : ["--adapted", input.adapted],
    input.detector == null ? [] : concat(["--entry-timeout", var.external_detectors[matrix.detector].entry_timeout, "--"], [
      for word in var.external_detectors[matrix.detector].command : replace(word, "{dir}", input.detector)
    ]),
  )
  image   = var.proxy_run_image
  timeout = "30m"
}

stage "aggregate" {
  description = "Bring all runs together, with intervals, beside the baseline."
  inputs = {
    validation = stage.validate-datasets.report
    retrieval  = stage.score-retrieval.report
    security   = stage.score-security.report
    mutations  = stage.score-mutations.report
    baseline   = local.has_baseline ? local.baseline : null
  }
  outputs = {
    aggregate = "out/aggregate.json"
  }
  command = concat(
    [
      "touchstone", "stage", "aggregate",
      "--validation", input.validation, "--retrieval", input.retrieval, "--security", input.security,
      "--mutations", input.mutations, "--out", output.aggregate,
    ],
    local.has_baseline ? ["--baseline", input.baseline] : [],
  )
  timeout = "5m"
}

stage "gate" {
  description = "Judge the figures by the baseline's thresholds."
  inputs = {
    aggregate = stage.aggregate.aggregate
    baseline  = local.has_baseline ? local.baseline : null
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
