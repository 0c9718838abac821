pipeline {
  name             = "touchstone"
  required_version = ">= 0.1.0"
  verdict          = stage.gate.verdict
  baseline         = "baseline_${length(local.seeds)}.json"
  publish          = { reports = stage.gate.reports }
}
variable "runs" {
  type        = number
  default     = 3
  description = "how many"
  sensitive   = false
  validation {
    condition     = var.runs >= 1
    error_message = "At least one run."
  }
}
variable "baseline" {
  type    = string
  default = ""
}
variable "token" {
  type      = string
  default   = "abc"
  sensitive = true
}
locals {
  seeds = range(1, var.runs + 1)
}
stage "validate" {
  inputs  = { corpus = "../data/a.json", golden = "../data/b.json" }
  outputs = { corpus = "out/corpus.json", golden = "out/golden.json" }
  command = ["touchstone", "stage", "validate", input.corpus, input.golden, output.corpus]
}
stage "build-proxy" {
  inputs  = { source = { path = "../data", include = ["**/*.txt"], exclude = ["latin1.txt"] } }
  outputs = { proxy = "out/proxy/" }
  command = concat(["touchstone", "build"], input.source == null ? [] : ["--source", input.source], var.baseline == "" ? [] : ["--x", 5])
  passthrough = ["GOCACHE"]
}
stage "score-retrieval" {
  description = "..."
  matrix {
    run      = local.seeds
    detector = ["a", "b"]
    exclude  = [{ run = 2, detector = "b" }]
  }
  inputs      = { corpus = stage.validate.corpus, proxy = stage.build-proxy.proxy, baseline = var.baseline == "" ? null : var.baseline }
  outputs     = { report = "out/retrieval.json" }
  command     = ["touchstone", "stage", "score-retrieval", "--corpus", input.corpus, "--run", matrix.run, input.baseline, "--out", output.report]
  env         = { LANG = "C.UTF-8", T = var.token }
  secrets     = { API_KEY = "env:OPENAI_API_KEY" }
  timeout     = "5m"
  retries     = 0
  network     = "loopback"
  image       = ""
  platform    = ""
  resources {
    cpus      = 1
    memory_mb = 512
  }
  cache {
    mode = "on"
    ttl  = "24h"
  }
}
stage "gate" {
  inputs  = { retrieval = stage.score-retrieval.report, one = stage.score-retrieval["detector=a,run=1"].report }
  outputs = { verdict = "out/gate.json", reports = "out/reports/" }
  command = ["touchstone", "gate", input.retrieval]
}
