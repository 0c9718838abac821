pipeline {
  verdict = stage.judge.verdict # ERROR: Invalid verdict; "judge" runs on demand only
}
stage "judge" {
  on_demand = true
  outputs   = { verdict = "out/v.json" }
  command   = ["x"]
}
