# Every kind of input, and what is done to text on the way.
locals {
  files = ["../data/a.json", null, "../data/b.json"]
}
stage "make" {
  matrix {
    on   = [true, false]
    size = [1, 2.50, "3"]
  }
  outputs = {
    one  = "out/${matrix.size}.tar.gz"
    tree = "out/tree/"
  }
  command = ["make", matrix.size, matrix.on, "${matrix.size * 2}", null, -1, 1e3]
}
stage "single" {
  outputs = { plain = "out/a/plain", dir = "out/b/" }
  command = ["sh", "-c", <<-EOT
    echo one
      echo two
  EOT
  ]
}
stage "read" {
  inputs = {
    file       = "../data/a.json"
    dir        = "../data/tree"
    filtered   = { path = "../data/tree/", include = ["**/*.txt"], exclude = ["sub/**"] }
    set        = local.files
    list-dir   = ["../data/tree", "../data/a.json"]
    fileset    = [for f in fileset("../data", "tree/**/*.md") : "../data/${f}"]
    all        = stage.make.one
    all-trees  = stage.make.tree
    cell       = stage.make["on=true,size=2.5"].one
    computed   = stage.make["on=${false},size=${1 + 0}"].tree
    plain      = stage.single.plain
    whole-tree = stage.single.dir
    list       = [stage.single.plain, stage.make.one]
    left-out   = null
  }
  outputs = {}
  command = concat(["read", input.file], input.left-out == null ? [] : ["--left-out", input.left-out], [for k in ["b", "a"] : upper(k)])
  env     = { UNSET = null, EMPTY = "", NUMBER = 3, BOTH = "${input.cell}:${input.all}" }
  cache {
    mode = "off"
  }
}
stage "computed-maps" {
  inputs  = { for n in ["a", "b"] : n => "../data/${n}.json" }
  outputs = { for n in ["x", "y"] : n => "out/${n}" }
  env     = merge({ A = "1" }, { B = input.a })
  command = ["x", output.x, output.y]
}
