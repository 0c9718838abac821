# What a run can be told with --var NAME=VALUE. proxy.hcl holds the settings of
# a proxy of your own.

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

# A refresh only: touchstone refresh and the stage refresh-corpus.
variable "refresh_image" {
  type        = string
  default     = ""
  description = "The image that servers are installed and started in for a refresh, where stages are containers."
}

locals {
  runs         = range(1, var.runs + 1)
  mutated      = length(var.mutations) > 0 ? var.mutations : ["none"]
  baseline     = var.baseline == null ? "datasets/baseline_v1${local.proxy.suffix}.json" : var.baseline
  has_baseline = local.baseline == "" ? false : fileexists(local.baseline)
  degrade      = var.degrade == "" ? [] : ["--degrade", var.degrade]

  # The newest corpus is the one that a refresh starts from.
  corpora        = [for file in fileset("datasets", "corpus_v*.json") : tonumber(one(regex("^corpus_v([0-9]{1,9})[.]json$", file))) if can(regex("^corpus_v([0-9]{1,9})[.]json$", file))]
  newest_corpus  = length(local.corpora) == 0 ? null : "datasets/corpus_v${max(local.corpora...)}.json"
  upstreams_file = "datasets/upstreams.hcl"
}
