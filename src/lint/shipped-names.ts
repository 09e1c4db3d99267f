import type { PromptSource } from "../dialect/prompt-source.ts"
import { isPrompt, promptName } from "../dialect/prompt-source.ts"
import { sourceLoader } from "../dialect/source-loader.ts"
import { parseTemplate } from "../template/parse.ts"
import { namedNodes } from "./nodes.ts"

/** Folders whose files are texts, not templates, or the words of one tool each. */
const otherFolders: ReadonlySet<string> = new Set(["characters", "formats", "final", "tools", "skills", "demo"])

/** The slots and conditions of dialects' files, by file name: what the library fills in files of these names. */
export function namesInSources(sources: readonly PromptSource[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  const load = sourceLoader(sources)
  for (const { path, body } of sources) {
    if (!isPrompt(path) || otherFolders.has(path.split("/")[0] ?? "")) continue
    const name = promptName(path)
    const known = names.get(name) ?? new Set<string>()
    for (const { name: slot } of namedNodes(parseTemplate(body, { file: path, load }).nodes)) known.add(slot)
    names.set(name, known)
  }
  return names
}
