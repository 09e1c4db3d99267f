import type { Tool, ToolContext } from "../../prompt/tools/tool.ts"
import { ignoring } from "../workspace/file-errors.ts"
import { lineDiff } from "../workspace/line-diff.ts"
import { giveShape, takeShape } from "../workspace/text-encoding.ts"
import type { WorkspaceFile } from "../workspace/workspace.ts"
import { defineFileTool } from "./define-file-tool.ts"
import { type FileToolParts, requireAllowed, shownPath } from "./file-tool.ts"

/**
 * The tool `write`: creates a file, or replaces one that was read whole in this turn and has not changed since (D10), or for whose
 * change a person has said yes, maybe to another process (N43). A byte order mark and CRLF line ends of the former text are kept.
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
      const after = former ? giveShape(content, former.shape) : content
      // An empty file need not be read first.
      if (current && former && former.plain !== "" && !context.wasAllowed?.(questionOf(parts, file, after))) {
        const shown = reads.shown(context, { path, hash: current.hash }, { start: 0, end: former.plain.length })
        if (shown !== "shown") throw words.problem({ path: shownPath(path), [`${shown}_first`]: true })
      }
      if (after === current?.text) return words.say({ path: shownPath(path), unchanged: true })
      const hash = await writeConfirmed(parts, file, { after, context })
      reads.show(context, { path, hash }, "whole")
      return words.say({ path: shownPath(path), [current === undefined ? "created" : "replaced"]: true })
    },
  })
}

interface WritableFile {
  /** As it is spelled on the disk, or will be. */
  readonly path: string
  /** Its content; `undefined` when there is no file yet. */
  readonly current: WorkspaceFile | undefined
}

/** Finds the file that a change to `path` is about, and reads it. Refuses mounts and paths that are not allowed. */
export async function findWritable(parts: FileToolParts, path: string, context: ToolContext): Promise<WritableFile> {
  const { places, words } = parts
  const place = places.find(path)
  if (place.mount) throw words.problem({ path: shownPath(places.shown(place, place.path)), read_only: true })
  await requireAllowed(parts, place.path, { operation: "write", context })
  const target = await places.workspace.resolve(place.path)
  await requireAllowed(parts, target, { operation: "write", context })
  const current = await places.workspace.read(target, { signal: context.signal }).catch(ignoring("file-missing"))
  return { path: target, current }
}

/** The question to a person before a change of a file. */
export function questionOf({ words }: FileToolParts, { path, current }: WritableFile, after: string) {
  const detail = lineDiff(current?.text ?? "", after)
  return { summary: words.asks({ [current === undefined ? "creates" : "changes"]: path }), detail }
}

/**
 * Writes a file after asking the user, if the confirm rule says so. Only the content that was read is overwritten. The change is
 * noted in the turn's trace. Resolves to the hash of the new content.
 */
export async function writeConfirmed(
  parts: FileToolParts,
  { path, current }: WritableFile,
  { after, context }: { readonly after: string; readonly context: ToolContext },
): Promise<string> {
  const { name, words, places, confirmRule } = parts
  const { summary, detail } = questionOf(parts, { path, current }, after)
  const verb = current === undefined ? "create" : "change"
  const rule = confirmRule({ path, after, before: current?.text }, context)
  if (rule === "ask" || (rule === "ask-if-possible" && context.confirm)) {
    if (!context.confirm) throw words.problem({ path: shownPath(path), nobody_to_ask: true })
    if (!(await context.confirm({ tool: name, summary, detail }, context.signal)))
      throw words.problem({ path: shownPath(path), refused: true })
  }
  const { hash = "", record } = await places.workspace.write(path, after, {
    by: context.key.agent,
    signal: context.signal,
    expect: current === undefined ? "absent" : { hash: current.hash },
  })
  context.record?.({ kind: "write", tool: name, summary: `${verb}d ${path}`, detail, id: record?.id })
  return hash
}
