package pipeline

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	version "github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// decodeHeader decodes the constants of the pipeline block.
func (l *module) decodeHeader(b *hclsyntax.Block) {
	if l.header != nil {
		l.errorf(b.DefRange(), "Duplicate block",
			"The pipeline already has a pipeline block, at %s. Merge the two. If %s is a separate pipeline, move it "+
				"to another directory: all files of a directory are one pipeline.",
			where(l.headerAt, b.DefRange()), b.DefRange().Filename)
		return
	}

	l.headerAt = b.DefRange()
	l.header = l.decode(b.Body, pipelineSchema, "the pipeline block", b.DefRange())
	l.constant(l.header, "extends", cty.String, "the pipeline") // extend has read it
	if l.parent != nil {
		// In an included file, only the requirements of the pipeline block apply, extends and defaults.
		if val, ok := l.constant(l.header, "required_version", cty.String, "the pipeline"); ok {
			l.checkVersion(val.AsString(), l.header.expr("required_version").Range())
		}

		return
	}

	if val, ok := l.constant(l.header, "name", cty.String, "the pipeline"); ok {
		if l.plan.Name = val.AsString(); !validName(l.plan.Name) {
			l.errorf(l.header.expr("name").Range(), "Invalid name", "%q is not a valid name for a pipeline: %s.",
				l.plan.Name, validInputName(l.plan.Name))
		}
	}

	if val, ok := l.constant(l.header, "required_version", cty.String, "the pipeline"); ok {
		l.checkVersion(val.AsString(), l.header.expr("required_version").Range())
	}

	if b := l.header.nested("trust"); b != nil {
		const what = "the trust block of the pipeline"
		trust := l.decode(b.Body, trustSchema, what, b.DefRange())
		if val, ok := l.constant(trust, "allowed_signers", cty.String, what); ok {
			if l.plan.AllowedSigners = val.AsString(); l.plan.AllowedSigners == "" {
				l.errorf(trust.expr("allowed_signers").Range(), "Invalid path",
					"The path of the allowed signers is empty. Name a file, or remove the block.")
			}
		}
	}

	if b := l.header.nested("remote"); b != nil {
		l.decodeRemote(b)
	}
}

// decodeRemote decodes the block of the remote cache.
func (l *module) decodeRemote(b *hclsyntax.Block) {
	const what = "the remote block of the pipeline"
	c := l.decode(b.Body, remoteSchema, what, b.DefRange())
	remote := &l.plan.Remote
	text := func(name string, to *string) bool {
		val, ok := l.constant(c, name, cty.String, what)
		if ok {
			*to = val.AsString()
		}

		return ok
	}
	reference := func(expr hclsyntax.Expression, name, value string) {
		if kind, from, _ := strings.Cut(value, ":"); kind != "env" && kind != "file" || from == "" {
			l.errorf(expr.Range(), "Secret in the pipeline",
				"%s of the remote cache must be a reference: \"env:NAME\" for an environment variable, or "+
					"\"file:PATH\". The value itself would be readable by everybody who can read the pipeline.", name)
		}
	}
	for _, server := range []struct {
		name string
		to   *string
	}{{"cache", &remote.Cache}, {"executor", &remote.Executor}} {
		if text(server.name, server.to) && !strings.HasPrefix(*server.to, "grpc://") &&
			!strings.HasPrefix(*server.to, "grpcs://") {
			l.errorf(c.expr(server.name).Range(), "Invalid address",
				"%q is not the address of a remote %s. Write grpcs://HOST[:PORT][/INSTANCE], or grpc:// for a "+
					"connection without encryption.", *server.to, server.name)
		}
	}

	if c.expr("cache") == nil && c.expr("executor") == nil {
		l.errorf(b.DefRange(), "No server",
			"The remote block names no server. Add cache or executor, or remove the block.")
	}

	if text("mode", &remote.Mode) && !slices.Contains([]string{"read", "read-write", "off"}, remote.Mode) {
		l.errorf(c.expr("mode").Range(), "Invalid mode",
			"%q is not a mode of the remote cache. Use \"read\", \"read-write\" or \"off\".", remote.Mode)
	}

	for _, secret := range []struct {
		name string
		to   *string
	}{{"bearer", &remote.Bearer}, {"client_certificate", &remote.ClientCertificate}, {"client_key", &remote.ClientKey},
		{"signing_key", &remote.SigningKey}} {
		if text(secret.name, secret.to) {
			reference(c.expr(secret.name), "The "+strings.ReplaceAll(secret.name, "_", " "), *secret.to)
		}
	}

	text("certificate_authority", &remote.CertificateAuthority)
	text("credential_helper", &remote.CredentialHelper)
	if val, ok := l.constant(c, "properties", cty.Map(cty.String), what); ok {
		remote.Properties = map[string]string{}
		for name, v := range val.AsValueMap() {
			if !v.IsNull() {
				remote.Properties[name] = v.AsString()
			}
		}
	}

	if val, ok := l.constant(c, "headers", cty.Map(cty.String), what); ok {
		remote.Headers = map[string]string{}
		headers := val.AsValueMap()
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			if v := headers[name]; !v.IsNull() {
				remote.Headers[name] = v.AsString()
				reference(c.expr("headers"), fmt.Sprintf("The header %q", name), v.AsString())
			}
		}
	}
}

func (l *module) checkVersion(required string, at hcl.Range) {
	constraints, err := version.NewConstraint(required)
	if err != nil {
		l.errorf(at, "Invalid version constraint",
			"%q is not a list of version constraints: write, for example, \">= 0.1.0, < 2.0.0\".", required)
		return
	}

	have, err := version.NewSemver(l.opts.Version)
	if err != nil {
		return // a development build has no version to compare
	}

	if !constraints.Check(have) {
		l.errorf(at, "Unsupported version of touchstone",
			"The pipeline requires touchstone %s, but this is %s. Install a matching version, or change "+
				"required_version.", required, l.opts.Version)
	}
}

// resolveResults evaluates references to outputs outside of stages. It runs after all stages are in
// the plan.
func (l *module) resolveResults() {
	if l.header == nil {
		return
	}

	ctx := l.outputContext()
	if expr := l.header.expr("verdict"); expr != nil {
		if ref, out, ok := l.result(expr, ctx, "verdict"); ok {
			if out.Dir {
				l.errorf(expr.Range(), "Invalid verdict",
					"The output %q is a directory, but the verdict must be a JSON file. Use an output that is a file.",
					out.Name)
			} else {
				l.plan.Verdict = &ref
			}
		} else if !l.diags.HasErrors() {
			l.plan.NoVerdict = l.nullReason(expr)
		}
	}

	if expr := l.header.expr("baseline"); expr != nil {
		if val, ok := l.setting(expr, cty.String,
			exprContext{allow: scopeStatic, what: "the attribute baseline of the pipeline"}); ok {
			l.plan.Baseline = val.AsString()
		}
	}

	if expr := l.header.expr("publish"); expr != nil {
		l.resolvePublish(expr, ctx)
	}
}

// result evaluates a reference to one output.
func (l *module) result(expr hclsyntax.Expression, ctx *hcl.EvalContext, what string) (OutputRef, Output, bool) {
	val, ok := cty.NilVal, l.resultsChecked[expr]
	if ok {
		val, ok = l.eval(expr, ctx)
	}

	if !ok || val.IsNull() {
		return OutputRef{}, Output{}, false
	}

	if val.ContainsMarked() {
		l.errorf(expr.Range(), "Sensitive value",
			"%s depends on a sensitive value. The name of the output is printed, which would reveal the value.",
			capital(what))
		return OutputRef{}, Output{}, false
	}

	if val.Type() != outputType {
		l.errorf(expr.Range(), "Invalid "+what, "%s must be an output of a stage, stage.NAME.OUTPUT, not %s.",
			capital(what), article(val.Type().FriendlyName()))
		return OutputRef{}, Output{}, false
	}

	o := val.EncapsulatedValue().(*outputValue)
	if !o.stage.planned {
		return OutputRef{}, Output{}, false // reported with the stage
	}

	if o.stage.fixed.OnDemand && what == "verdict" {
		l.errorf(expr.Range(), "Invalid verdict",
			"The stage %q is a manual stage, but every run needs the verdict. Use an output of a stage that is "+
				"part of every run.", o.stage.name)
		return OutputRef{}, Output{}, false
	}

	if o.cell < 0 {
		l.errorf(expr.Range(), "Invalid "+what, "The stage %q has a matrix, so this refers to the outputs of all %d "+
			"instances. Combine them in another stage, or select one instance: stage.%s[%q].%s.",
			o.stage.name, len(o.stage.cells), o.stage.name, o.stage.cellName(0), o.name)
		return OutputRef{}, Output{}, false
	}

	return o.stage.ref(o.cell, o.name), o.stage.output(o.cell, o.name), true
}

// resultExprs returns the expressions of verdict and publish.
func (l *module) resultExprs() []hclsyntax.Expression {
	var exprs []hclsyntax.Expression
	if e := l.header.expr("verdict"); e != nil {
		exprs = append(exprs, e)
	}
	if cons, ok := l.header.expr("publish").(*hclsyntax.ObjectConsExpr); ok {
		for _, item := range cons.Items {
			exprs = append(exprs, item.ValueExpr)
		}
	}
	return exprs
}

// checkResults checks the references of verdict and publish. It runs before stages are instantiated,
// because it determines which stages need single instances.
func (l *module) checkResults() {
	if l.header == nil {
		return
	}
	for _, expr := range l.resultExprs() {
		l.resultsChecked[expr] = l.check(expr, exprContext{allow: scopeResult, what: "the pipeline block"})
	}
}

// publishPaths returns the paths of publish that are literals, without an evaluation. It leaves
// out all others, and paths that are not allowed.
func (l *module) publishPaths() []string {
	paths := []string{} // not nil, which stands for files that could not be parsed
	if l.header == nil {
		return paths
	}

	cons, ok := l.header.expr("publish").(*hclsyntax.ObjectConsExpr)
	if !ok {
		return paths
	}

	for _, item := range cons.Items {
		target := hcl.ExprAsKeyword(item.KeyExpr)
		if target == "" && len(item.KeyExpr.Variables()) == 0 {
			if val, diags := item.KeyExpr.Value(nil); !diags.HasErrors() && val.Type() == cty.String && val.IsKnown() &&
				!val.IsNull() {
				target = val.AsString()
			}
		}

		if l.publishProblem(target) == "" {
			paths = append(paths, path.Clean(filepath.ToSlash(target)))
		}
	}

	return paths
}

func (l *module) resolvePublish(expr hclsyntax.Expression, ctx *hcl.EvalContext) {
	cons, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		l.errorf(expr.Range(), "Bad type", "publish must be a literal map: { PATH = stage.NAME.OUTPUT }.")
		return
	}

	for _, item := range cons.Items {
		at := item.KeyExpr.Range()
		target, ok := l.entryName(item.KeyExpr, exprContext{allow: scopeStatic, what: "a path in publish"})
		if !ok {
			continue
		}

		if problem := l.publishProblem(target); problem != "" {
			l.errorf(at, "Invalid publish path",
				"%q %s. Write a path below the pipeline's directory, such as \"reports\".", target, problem)
			continue
		}

		clean := path.Clean(filepath.ToSlash(target))
		for _, other := range l.plan.Publish {
			if other.Path == clean || strings.HasPrefix(other.Path, clean+"/") ||
				strings.HasPrefix(clean, other.Path+"/") {
				l.errorf(at, "Overlapping publish paths",
					"%q and %q overlap. Publish each output to a separate path. No path may be inside another.",
					other.Path, clean)
			}
		}

		if ref, _, ok := l.result(item.ValueExpr, ctx, "publish"); ok {
			l.plan.Publish = append(l.plan.Publish, Publish{Path: clean, From: ref})
		}
	}

	l.checkFeedback(expr.Range())
	slices.SortFunc(l.plan.Publish, func(a, b Publish) int { return strings.Compare(a.Path, b.Path) })
}

// checkFeedback warns about inputs that publishing changes, because every run would then make the
// next one necessary.
func (l *module) checkFeedback(at hcl.Range) {
	for _, p := range l.plan.Publish {
		target := filepath.Join(l.sources.real, filepath.FromSlash(p.Path))
		var last *Input // instances of a stage share what does not differ
		for _, in := range l.plan.Instances {
			if len(in.Inputs) == 0 || &in.Inputs[0] == last {
				continue
			}

			last = &in.Inputs[0]
			if f := fileBelow(in.Inputs, target); f != nil {
				l.warnf(at, "Published over an input", "The stage %q reads %q, but publishing to %q replaces it, so "+
					"the stage would run again in every run. Publish to another path, or exclude the path from the "+
					"input.",
					in.Stage, f.Label, p.Path)
				break
			}
		}
	}
}

func fileBelow(inputs []Input, target string) *SourceFile {
	for i := range inputs {
		for j := range inputs[i].Files {
			if f := &inputs[i].Files[j]; within(f.Source, target) {
				return f
			}
		}
	}
	return nil
}

// publishProblem returns the reason why a result cannot be published to a path, as a phrase that
// follows the path.
func (l *module) publishProblem(target string) string {
	slashed := filepath.ToSlash(target)
	clean := path.Clean(slashed)
	switch {
	case target == "":
		return "is empty"
	case strings.ContainsRune(target, 0):
		return "contains a NUL byte"
	case path.IsAbs(slashed) || filepath.IsAbs(target):
		return "is absolute, but outputs can only be published inside the pipeline's directory"
	case clean == ".":
		return "is the pipeline's own directory, whose content would be replaced"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "leads out of the pipeline's directory"
	case clean == ".git" || strings.HasPrefix(clean, ".git/"):
		return "belongs to git"
	case slices.ContainsFunc(l.src.files, func(file string) bool { return filepath.Base(file) == clean }):
		return "is a pipeline file"
	}

	return ""
}

// nullReason returns the reason why an output is null, as a phrase that follows the name of the reference.
func (l *module) nullReason(expr hclsyntax.Expression) string {
	for _, t := range expr.Variables() {
		if name, _, ok := step(t, 1); ok && t.RootName() == "stage" {
			if s := l.stages[name]; s != nil && s.isOff() {
				return fmt.Sprintf("is an output of the stage %q, which is off: %s", s.name, s.offAt(0))
			}
		}
	}
	return "is null, at " + expr.Range().String()
}
