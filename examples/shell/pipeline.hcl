# Counts the words of a text with plain shell commands, and passes only if no word
# occurs too often.

pipeline {
  name             = "shell"
  required_version = ">= 0.1.0"
  verdict          = stage.judge.verdict
  publish          = { "out/report.txt" = stage.report.report }
}

variable "text" {
  type        = string
  default     = "text.txt"
  description = "The text to analyse."
}

variable "limit" {
  type        = number
  default     = 6
  description = "How often a word may occur."

  validation {
    condition     = var.limit >= 1
    error_message = "The limit must be at least 1: every word occurs once."
  }
}

stage "words" {
  description = "One word per line, in lower case."
  inputs      = { text = var.text }
  outputs     = { words = "out/words.txt" }
  command     = ["sh", "-c", "tr -cs '[:alpha:]' '\\n' < \"$0\" | tr '[:upper:]' '[:lower:]' | sed '/^$/d' > \"$1\"", input.text, output.words]
  env         = { LC_ALL = "C" }
}

stage "count" {
  description = "The number of occurrences of each word, the most frequent first."
  inputs      = { words = stage.words.words }
  outputs     = { counts = "out/counts.txt" }
  command     = ["sh", "-c", "sort \"$0\" | uniq -c | sort -k1,1nr -k2 > \"$1\"", input.words, output.counts]
  env         = { LC_ALL = "C" }
}

stage "judge" {
  description = "Passes if the most frequent word occurs at most limit times."
  inputs      = { counts = stage.count.counts }
  outputs     = { verdict = "out/verdict.json" }
  command = ["sh", "-c", <<-EOT
    read -r count word < "$0"
    passed=false
    [ "$count" -le "$2" ] && passed=true
    printf '{"passed": %s, "word": "%s", "count": %d, "limit": %d}\n' "$passed" "$word" "$count" "$2" > "$1"
  EOT
  , input.counts, output.verdict, var.limit]
}

stage "report" {
  description = "The ten most frequent words, and the verdict."
  inputs      = { counts = stage.count.counts, verdict = stage.judge.verdict }
  outputs     = { report = "out/report.txt" }
  command     = ["sh", "-c", "{ head -n 10 \"$0\"; cat \"$1\"; } > \"$2\"", input.counts, input.verdict, output.report]
}
