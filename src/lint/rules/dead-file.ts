import type { LintContext, LintFile } from "../context.ts"
import { knownFileNames } from "../known-slots.ts"
import { warning } from "../problem.ts"
import { lintRule } from "../rule.ts"
import { namedNodes } from "../template-names.ts"

/** Files that nothing uses. The library's own files are never dead, as any profile can choose them. */
export const deadFile = lintRule(
  "dead-file",
  "A prompt, persona, format or skill that no profile and no other file uses.",
  (context) => {
    const loaded = new Set(context.files.flatMap(({ loads }) => loads))
    const used = usedNames(context)
    return context.files
      .filter(({ shipped, file, kind }) => !shipped && kind !== "profile" && !loaded.has(file))
      .flatMap((file) => {
        const reason = whyDead(file, context, used)
        return reason === undefined ? [] : [warning(file.file, reason.message, { hint: reason.hint })]
      })
  },
)

interface Reason {
  readonly message: string
  readonly hint: string
}

function whyDead(file: LintFile, context: LintContext, used: UsedNames): Reason | undefined {
  switch (file.kind) {
    case "persona":
    case "format":
    case "final":
    case "skill":
      return unnamed(file, context)
    case "prompt":
      return unusedPrompt(file, context, used)
    case "other":
      return {
        message: "no part of promptstrata looks for this file, and no ${file_load(…)} loads it.",
        hint: "A dialect's files are in DIALECT/LOCALE/ beside a planner.md, final.md or chat.md.",
      }
    default:
      return undefined
  }
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

function unusedPrompt({ root, folder, name }: LintFile, { profiles }: LintContext, used: UsedNames): Reason | undefined {
  const isComplete = profiles.length > 0 && profiles.every(({ documents }) => documents.length > 0)
  if (isComplete && !profiles.some(({ promptFolder }) => promptFolder === root)) {
    return {
      message: "no profile uses this prompts folder.",
      hint: 'A profile does with [prompt] folder = "../prompts", relative to its own file.',
    }
  }
  if (used.known.has(name) || used.inFolder(root, folder).has(name)) return undefined
  return {
    message: `no slot \${${name}} of dialect ${folder} prints its entries through this file.`,
    hint: "An entry file has the name of the slot whose list it prints.",
  }
}

/** The names of the prompt files through which something is printed. */
interface UsedNames {
  /** The names that the library itself uses. */
  readonly known: ReadonlySet<string>
  /** The slots in the files of a folder and in its compiled dialect. The folder `shared` counts the slots of all dialects. */
  inFolder(root: string, folder: string): ReadonlySet<string>
}

function usedNames(context: LintContext): UsedNames {
  const { files, profiles } = context
  const found = new Map<string, ReadonlySet<string>>()
  const collect = (root: string, folder: string): ReadonlySet<string> => {
    const beside = files.filter((file) => file.root === root && (folder === "shared" || file.folder === folder))
    const dialects = new Set(profiles.flatMap(({ dialect }) => (dialect?.name === folder ? [dialect] : [])))
    const templates = [...beside, ...[...dialects].flatMap((dialect) => [...dialect.files.values()])]
    return new Set(templates.flatMap(({ template }) => namedNodes(template?.nodes ?? []).map(({ name }) => name)))
  }
  return {
    known: knownFileNames(context),
    inFolder(root, folder) {
      const key = `${root}\n${folder}`
      const names = found.get(key) ?? collect(root, folder)
      found.set(key, names)
      return names
    },
  }
}
