import { didYouMean } from "../../core/suggest.ts"
import type { LintContext, LintDocument, LintProfile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Tools that a profile names beside `[tools] enabled`, which does not load with a wrong one. */
export const unknownTool = lintRule(
  "unknown-tool",
  "A prestart tool or a hidden tool that neither the profile nor a plugin brings.",
  ({ profiles }: LintContext) => profiles.filter(({ linted }) => linted).flatMap(inProfile),
)

interface NamedTool {
  readonly name: string
  readonly path: readonly PropertyKey[]
}

function inProfile({ profile, documents }: LintProfile): LintFinding[] {
  if (profile === undefined) return []
  const known = [...profile.tools.builtin, ...profile.plugins.flatMap(({ tools = [] }) => tools)].map(({ name }) => name)
  return documents.flatMap((document) =>
    namedTools(document)
      .filter(({ name }) => !known.includes(name))
      .map(({ name, path }) => ({
        severity: "warning",
        message: `the profile brings no tool ${JSON.stringify(name)}.${didYouMean(name, known)}`,
        file: document.file,
        ...document.locate(path),
        hint: "Enable it in [tools], or pass it to createAgent.",
      })),
  )
}

function namedTools({ data }: LintDocument): NamedTool[] {
  const prestart = (data.prestart ?? []) as readonly { readonly tool?: string }[]
  const tools = (data.tools ?? {}) as { readonly prestart_only?: readonly string[] }
  return [
    ...prestart.flatMap(({ tool }, at) => (tool === undefined ? [] : [{ name: tool, path: ["prestart", at, "tool"] }])),
    ...(tools.prestart_only ?? []).map((name, at) => ({ name, path: ["tools", "prestart_only", at] })),
  ]
}
