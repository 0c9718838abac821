# Includes with a matrix, also one inside another.
stage "prepare" {
  matrix { size = [1, 2] }
  outputs = { x = "out/x" }
  command = ["prepare", output.x]
}

include "languages" {
  source = "scoring"
  matrix {
    language = ["de", "en"]
    size     = [1, 2]
    exclude  = [{ language = "de", size = 2 }]
  }
  inputs = {
    data     = "../../data/${matrix.language == "de" ? "a" : "b"}.json"
    language = matrix.language
    all      = stage.prepare.x
  }
}

stage "total" {
  inputs = {
    all = include.languages.report
    one = include.languages["language=en,size=2"].report
  }
  outputs    = { sum = "out/sum" }
  depends_on = [include.languages]
  command    = ["total", input.all, input.one, output.sum]
}
