import type { FileFault } from "../memory/services/file-references.ts"
import { promptKinds } from "../prompt/dialect/prompt-source.ts"
import { promptSlots, promptVariables } from "../prompt/layers/prompt-names.ts"
import { toolGroups } from "../prompt/tools/tool.ts"
import type { LintContext, LintFile } from "./rule.ts"
import { eachNode } from "./template-names.ts"

const fileFaults = ["missing", "refused", "unsupported", "beyond", "large", "failed"] as const satisfies readonly FileFault[]

const run = ["tool", "arguments", "failed", "block", "result", "sentence"] as const

/** The fields of each list's entries, by the name of the file that prints the list. */
const entrySlots: Readonly<Record<string, readonly string[]>> = {
  question: ["speaker", "to", "text", "group", "time", "files"],
  history: [
    ...["role", "own", "group", "speaker", "to", "text", "answers", "memories", "prestart"],
    ...["runs", "output", "time", "files"],
  ],
  files: ["reference"],
  file_faults: ["file", "total", ...fileFaults],
  tool_groups: ["rules", ...toolGroups],
  memories: ["text", "speaker", "time", "unsaid"],
  prestart: ["tool", "arguments", "age", "result"],
  tools: ["name", "description", "parameters", "hint", "owed"],
  runs: run,
  steps: ["role", "answers", "call", "notice", "output", ...run],
  rest: ["key", "content", "beside"],
  standing: ["key", "content"],
  developer: ["key", "content"],
  skills: ["content", "skill_outline"],
  skill_outline: ["name", "description", "path"],
}

/** The names of the prompt files that make a request inside a turn. */
export const turnPrompts: readonly string[] = [...promptKinds, "native"]

/** The slot names that something fills in a prompt file; `undefined` for an entry file of a user's own list, which may have any. */
export function knownSlots(file: LintFile, { files, profiles, shippedNames }: LintContext): ReadonlySet<string> | undefined {
  const shipped = shippedNames.get(file.name) ?? new Set<string>()
  const declared = file.source?.attributes.optional
  const optional = Array.isArray(declared) ? declared.filter((name) => typeof name === "string") : []
  if (isPromptFile(file)) {
    const variables = profiles.flatMap(({ documents }) => documents.flatMap(({ data }) => variableNames(data)))
    // An entry file in the same folder shows that somebody brings a list of that name.
    const lists = files.filter(({ root, folder }) => root === file.root && folder === file.folder).map(({ name }) => name)
    return new Set([...promptSlots, ...promptVariables, ...variables, ...shipped, ...optional, ...lists])
  }
  const fields = Object.hasOwn(entrySlots, file.name) ? entrySlots[file.name] : undefined
  if (fields === undefined && shipped.size === 0) return undefined
  return new Set([...(fields ?? []), ...shipped, ...optional])
}

/** True for a file that makes a request of its own, not one that prints entries or a sentence. */
function isPromptFile({ name, template }: LintFile): boolean {
  if (turnPrompts.includes(name)) return true
  return eachNode(template?.nodes ?? []).some(({ type }) => type === "role" || type === "messages")
}

/** The names of the files through which the library itself prints something. */
export function knownFileNames({ shippedNames }: LintContext): ReadonlySet<string> {
  return new Set([...turnPrompts, ...Object.keys(entrySlots), ...shippedNames.keys()])
}

/** The keys of a profile file's `[variables]`. */
export function variableNames({ variables }: Readonly<Record<string, unknown>>): string[] {
  return typeof variables === "object" && variables !== null ? Object.keys(variables) : []
}
