import type { Tool } from "../../tools/tool.ts"
import { giveShape, takeShape } from "../workspace/text-encoding.ts"
import { findWritable, writeConfirmed } from "./confirmed-write.ts"
import { defineFileTool } from "./define-file-tool.ts"
import { type FileToolParts, shownPath } from "./file-tool.ts"

/**
 * The tool `write`: creates a file, or replaces one that was read whole in this turn and has not changed since (D10). A byte
 * order mark and CRLF line ends of the former text are kept.
 */
export function writeTool(parts: FileToolParts): Tool {
  const { words, reads } = parts
  return defineFileTool(parts, {
    writes: true,
    parameters: { path: "path", content: "text" },
    async run({ path: given, content }, context) {
      const file = await findWritable(parts, given, context)
      const { path, current } = file
      const former = current && takeShape(current.text)
      // An empty file need not be read first.
      if (current && former && former.plain !== "") {
        const shown = reads.shown(context, { path, hash: current.hash }, { start: 0, end: former.plain.length })
        if (shown !== "shown") throw words.problem({ path: shownPath(path), [`${shown}_first`]: true })
      }
      const after = former ? giveShape(content, former.shape) : content
      if (after === current?.text) return words.say({ path: shownPath(path), unchanged: true })
      const hash = await writeConfirmed(parts, file, { after, context })
      reads.show(context, { path, hash }, "whole")
      return words.say({ path: shownPath(path), [current === undefined ? "created" : "replaced"]: true })
    },
  })
}
