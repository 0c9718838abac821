pipeline { # ERROR: Duplicate block; at testdata/errors/directory/settings.hcl:1; move it to another directory
  name = "two"
}
stage "s" { # ERROR: Duplicate stage; at testdata/errors/directory/pipeline.hcl:1
  command = ["x"]
}
locals { l = 2 } # ERROR: Duplicate local; at testdata/errors/directory/pipeline.hcl:4
