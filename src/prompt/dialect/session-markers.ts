import { type Memo, memoKind } from "../../core/memo.ts"
import { fold } from "../encode/fold.ts"
import { mapBranches, type TemplateNode } from "../template/ast.ts"
import type { Dialect, PromptFile } from "./dialect.ts"

const ofSession = memoKind<Dialect, { readonly id: string; readonly made: Dialect }>()

/**
 * The dialect with an id in each line that opens or closes a block: `[memory context 7f3a]` … `[/memory context 7f3a]`. A block is
 * whatever a line such as `[/NAME]` or `</NAME>` closes. Text that does not know the id cannot look like such a line. The lines
 * without the id stay markers. The session's memo gives the same dialect for the same id.
 */
export function withSessionMarkers(dialect: Dialect, id: string, memo: Memo): Dialect {
  const known = memo.get(ofSession, dialect)
  if (known?.id === id) return known.made
  const made = marked(dialect, id)
  memo.set(ofSession, dialect, { id, made })
  return made
}

function marked(dialect: Dialect, id: string): Dialect {
  const names = [...dialect.markers.lines].flatMap((line) => /^[[<]\/([^[\]<>]+)[\]>]$/.exec(line)?.[1] ?? [])
  const opens = (words: string) =>
    names.some((name) => words === name || words.startsWith(`${name} `) || words.startsWith(`${name}:`))
  // The key of a block, as in `[context: ${key}]`, is a value. Then the id stands in the next literal, before its bracket.
  let isOpen = false
  const inText = (text: string): string => {
    const after = isOpen ? text.replace(/[\]>]/, (end) => ` ${id}${end}`) : text
    isOpen = false
    return after.replace(blockLine, (line, start: string, words: string, end: string, at: number) => {
      if (!opens(fold(words))) return line
      isOpen = end === "" && at + line.length === after.length
      return end === "" ? line : `${start}${words} ${id}${end}`
    })
  }
  const inNodes = (nodes: readonly TemplateNode[]): readonly TemplateNode[] =>
    nodes.map((node) => {
      if (node.type === "literal") return { ...node, text: inText(node.text) }
      return node.type === "conditional" ? mapBranches(node, inNodes) : node
    })
  const files = new Map<string, PromptFile>()
  for (const [name, file] of dialect.files) {
    files.set(name, { ...file, template: { ...file.template, nodes: inNodes(file.template.nodes) } })
    isOpen = false
  }
  const withId = [...dialect.markers.lines].map((line) => {
    isOpen = false
    return fold(inText(line))
  })
  return { ...dialect, files, markers: { ...dialect.markers, lines: new Set([...dialect.markers.lines, ...withId]) } }
}

/** A line that may open or close a block: its bracket, its words, and the bracket behind them unless a value follows. */
const blockLine = /^([[<]\/?)([^[\]<>\n]+)([\]>]|$)/gm
