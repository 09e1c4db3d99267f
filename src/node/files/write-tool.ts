import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { giveShape, takeShape } from "../workspace/text-encoding.ts"
import { type ChangeTarget, findTarget, makeChange } from "./confirmed-write.ts"
import { fileArguments } from "./file-arguments.ts"
import { type FileToolParts, shownPath, withFileProblems } from "./file-tool.ts"

/**
 * The tool `write`: makes a file, or replaces one that was read whole in this turn and has not changed since (D10). A byte order
 * mark and CRLF line ends that were there stay.
 */
export function writeTool(parts: FileToolParts): Tool {
  const { words, reads } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    writes: true,
    // Refused until the file is read, the same call is right afterwards.
    repeatable: true,
    inputSchema: fileArguments({
      path: { kind: "path", description: parameters.path },
      content: { kind: "text", description: parameters.content },
    }),
    execute: ({ path, content }, context) =>
      withFileProblems(words, path, async () => {
        const target = await findTarget(parts, path, context)
        const { current } = target
        if (current !== undefined) requireReadWhole(parts, { ...target, current }, context)
        const after = current === undefined ? content : giveShape(content, takeShape(current.text).shape)
        const told = { path: shownPath(target.path) }
        if (after === current?.text) return words.say({ ...told, unchanged: true })
        const hash = await makeChange(parts, target, { after, context })
        reads.show(context, { path: target.path, hash }, "whole")
        return words.say({ ...told, ...(current === undefined ? { created: true } : { replaced: true }) })
      }),
  })
}

function requireReadWhole(
  { reads, words }: FileToolParts,
  { path, current }: ChangeTarget & { readonly current: NonNullable<ChangeTarget["current"]> },
  context: ToolContext,
): void {
  const whole = { start: 0, end: takeShape(current.text).plain.length }
  // An empty file hides nothing.
  if (whole.end === 0) return
  const shown = reads.shown(context, { path, hash: current.hash }, whole)
  if (shown !== "shown") throw words.problem({ path: shownPath(path), [`${shown}_first`]: true })
}
