import { didYouMean } from "../../core/suggest.ts"
import type { Profile } from "../../profile/profile.ts"
import type { LintContext, LintDocument, LintProfile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Tools that a profile or its skills name beside `[tools] enabled`, which does not load with a wrong one. */
export const unknownTool = lintRule(
  "unknown-tool",
  "A prestart tool, a hidden tool, or one that a skill needs, which neither the profile nor a plugin brings.",
  ({ profiles }: LintContext) => profiles.filter(({ linted }) => linted).flatMap(inProfile),
)

interface NamedTool {
  readonly name: string
  readonly path: readonly PropertyKey[]
}

function inProfile({ profile, documents }: LintProfile): LintFinding[] {
  if (profile === undefined) return []
  const known = [...profile.tools.builtin, ...profile.plugins.flatMap(({ tools = [] }) => tools)].map(({ name }) => name)
  const inDocuments = documents.flatMap((document): LintFinding[] =>
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
  return [...inDocuments, ...inSkills(profile, documents, known)]
}

/** A name as tools here have it: what skills need of other agents (`Bash(git:*)`, `Read`) is nothing that a profile could enable. */
const ownName = /^[a-z][a-z0-9_]{0,63}$/

/** Without its tools a skill is words: a diary that cannot be written. */
function inSkills({ skills, plugins }: Profile, documents: readonly LintDocument[], known: readonly string[]): LintFinding[] {
  return [...skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])].flatMap(({ name, allowedTools }) => {
    const missing = allowedTools.filter((tool) => ownName.test(tool) && !known.includes(tool))
    const [document] = documents
    if (missing.length === 0 || document === undefined) return []
    return [
      {
        severity: "warning",
        message: `the skill ${JSON.stringify(name)} needs the tools ${missing.join(", ")}, which the profile does not bring.`,
        file: document.file,
        ...document.locate(["skills"]),
        hint: "Enable them in [tools], or pass them to createAgent.",
      },
    ]
  })
}

function namedTools({ data }: LintDocument): NamedTool[] {
  const prestart = (data.prestart ?? []) as readonly { readonly tool?: string }[]
  const tools = (data.tools ?? {}) as { readonly prestart_only?: readonly string[] }
  return [
    ...prestart.flatMap(({ tool }, at) => (tool === undefined ? [] : [{ name: tool, path: ["prestart", at, "tool"] }])),
    ...(tools.prestart_only ?? []).map((name, at) => ({ name, path: ["tools", "prestart_only", at] })),
  ]
}
