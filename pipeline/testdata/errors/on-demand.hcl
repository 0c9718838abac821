pipeline {
  verdict = stage.judge.verdict # ERROR: Invalid verdict; "judge" only runs on demand
}
stage "judge" {
  on_demand = true
  outputs   = { verdict = "out/v.json" }
  command   = ["x"]
}
