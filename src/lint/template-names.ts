import { isPrompt, type PromptSource, promptName } from "../prompt/dialect/prompt-source.ts"
import { sourceLoader } from "../prompt/dialect/source-loader.ts"
import type { ConditionalNode, SlotNode, TemplateNode } from "../prompt/template/ast.ts"
import { parseTemplate } from "../prompt/template/parse.ts"

/** A node with a name: a slot, a condition or a list of messages. */
export type NamedNode = SlotNode | ConditionalNode | Extract<TemplateNode, { readonly type: "messages" }>

/** Every node of a template in the order of the text, with those inside branches and placeholders. */
export function eachNode(nodes: readonly TemplateNode[], into: TemplateNode[] = []): readonly TemplateNode[] {
  for (const node of nodes) {
    into.push(node)
    if (node.type === "slot") eachNode(node.placeholder ?? [], into)
    if (node.type === "conditional") for (const branch of [node.then, node.otherwise]) eachNode(branch, into)
  }
  return into
}

/** The nodes of a template that have a name, in the order of the text. */
export function namedNodes(nodes: readonly TemplateNode[]): NamedNode[] {
  return eachNode(nodes).filter(
    (node): node is NamedNode => node.type === "slot" || node.type === "conditional" || node.type === "messages",
  )
}

/** Folders whose files are no templates of a dialect: plain texts, or the words of one tool each. */
const otherFolders: ReadonlySet<string> = new Set(["characters", "formats", "final", "tools", "skills", "demo"])

/** The slots and conditions in the files of dialects, by file name: the library fills these in any file of that name. */
export function namesInSources(sources: readonly PromptSource[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  const load = sourceLoader(sources)
  for (const { path, body } of sources) {
    if (!isPrompt(path) || otherFolders.has(path.split("/")[0] ?? "")) continue
    const known = names.get(promptName(path)) ?? new Set<string>()
    for (const { name } of namedNodes(parseTemplate(body, { file: path, load }).nodes)) known.add(name)
    names.set(promptName(path), known)
  }
  return names
}
