import { knownFileNames } from "../known-slots.ts"
import { finding, type LintContext, type LintFile, lintRule } from "../rule.ts"
import { namedNodes } from "../template-names.ts"

/** Files that nothing uses. The library's own files are never dead, as any profile can choose them. */
export const deadFile = lintRule(
  "dead-file",
  "A prompt, persona, format or skill that no profile and no other file uses.",
  (context) => {
    const loaded = new Set(context.files.flatMap(({ loads }) => loads))
    const isUsed = usedFiles(context)
    return context.files
      .filter(({ shipped, file, kind }) => !shipped && kind !== "profile" && !loaded.has(file))
      .flatMap((file) => {
        const reason = whyDead(file, context, isUsed)
        return reason === undefined ? [] : [finding(file.file, reason.message, { hint: reason.hint })]
      })
  },
)

type Reason = { readonly message: string; readonly hint: string }

function whyDead(file: LintFile, context: LintContext, isUsed: IsUsed): Reason | undefined {
  if (["persona", "format", "final", "skill"].includes(file.kind)) return unnamed(file, context)
  if (file.kind === "prompt") return unusedPrompt(file, context, isUsed)
  if (file.kind !== "other") return undefined
  const message = "no part of promptstrata looks for this file, and no ${file_load(…)} loads it."
  return { message, hint: "A dialect's files are in DIALECT/LOCALE/ beside a planner.md, final.md or chat.md." }
}

/** A file counts as unused only if every profile could be read: one that could not may name it. */
function unnamed({ file, kind, name }: LintFile, { profiles }: LintContext): Reason | undefined {
  if (profiles.length === 0 || profiles.some(({ profile }) => profile === undefined)) return undefined
  if (profiles.some(({ uses }) => uses.includes(file))) return undefined
  if (profiles.some(({ documents }) => documents.some(({ data }) => namesText(data, name)))) return undefined
  const key = kind === "skill" ? "[skills]" : `[prompt] ${kind === "final" ? "final_system" : kind}`
  return { message: `no profile uses this ${kind}.`, hint: `Name it in a profile (${key}), or delete it.` }
}

/** A profile that names a text by this name may use the file of that name in another locale's folder. */
function namesText({ prompt }: Readonly<Record<string, unknown>>, name: string): boolean {
  return typeof prompt === "object" && prompt !== null && Object.values(prompt).includes(name)
}

function unusedPrompt(file: LintFile, { profiles }: LintContext, isUsed: IsUsed): Reason | undefined {
  const isComplete = profiles.length > 0 && profiles.every(({ documents }) => documents.length > 0)
  if (isComplete && !profiles.some(({ promptFolder }) => promptFolder === file.root)) {
    const hint = 'A profile does with [prompt] folder = "../prompts", relative to its own file.'
    return { message: "no profile uses this prompts folder.", hint }
  }
  if (isUsed(file)) return undefined
  const message = `no slot \${${file.name}} of dialect ${file.folder} prints its entries through this file.`
  return { message, hint: "An entry file has the name of the slot whose list it prints." }
}

/** Tells if something is printed through the prompt file of a name: by the library itself, or by a slot of its dialect. */
type IsUsed = (file: LintFile) => boolean

function usedFiles(context: LintContext): IsUsed {
  const { files, profiles } = context
  const known = knownFileNames(context)
  const found = new Map<string, ReadonlySet<string>>()
  /** The slots in the files of a folder and in its compiled dialect. The folder `shared` counts the slots of all dialects. */
  const slotsIn = (root: string, folder: string): ReadonlySet<string> => {
    const beside = files.filter((file) => file.root === root && (folder === "shared" || file.folder === folder))
    const dialects = new Set(profiles.flatMap(({ dialect }) => (dialect?.name === folder ? [dialect] : [])))
    const templates = [...beside, ...[...dialects].flatMap((dialect) => [...dialect.files.values()])]
    return new Set(templates.flatMap(({ template }) => namedNodes(template?.nodes ?? []).map(({ name }) => name)))
  }
  return ({ root, folder, name }) => {
    const key = `${root}\n${folder}`
    const slots = found.get(key) ?? slotsIn(root, folder)
    found.set(key, slots)
    return known.has(name) || slots.has(name)
  }
}
