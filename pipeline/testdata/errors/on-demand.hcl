pipeline {
  verdict = stage.judge.verdict # ERROR: Invalid verdict; "judge" is a manual stage
}
stage "judge" {
  on_demand = true
  outputs   = { verdict = "out/v.json" }
  command   = ["x"]
}
