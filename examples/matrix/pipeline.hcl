# Measures three texts in four ways and writes one table.

pipeline {
  name             = "matrix"
  required_version = ">= 0.1.0"
  publish          = { "table.txt" = stage.table.table }
}

locals {
  # The axis holds short names; this map holds their commands.
  measures = {
    lines   = "wc -l"
    words   = "wc -w"
    bytes   = "wc -c"
    longest = "wc -L"
  }
}

stage "measure" {
  description = "One measure of one text. Three texts and four measures give twelve instances."
  matrix {
    text    = ["autumn", "spring", "winter"]
    measure = keys(local.measures)
  }
  inputs  = { text = "texts/${matrix.text}.txt" }
  outputs = { number = "out/${matrix.text}.${matrix.measure}" }
  command = ["sh", "-c", "${local.measures[matrix.measure]} < \"$0\" > \"$1\"", input.text, output.number]
}

stage "table" {
  description = "Collects the twelve numbers. stage.measure.number is a directory with all of them."
  inputs      = { numbers = stage.measure.number }
  outputs     = { table = "out/table.txt" }
  command = ["sh", "-c", <<-EOT
    for file in "$0"/*/*; do
      name=$(basename "$file")
      printf '%-8s %-8s %6d\n' "$${name%.*}" "$${name#*.}" "$(cat "$file")"
    done | sort > "$1"
  EOT
  , input.numbers, output.table]
}
