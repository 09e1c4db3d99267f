import type { ToolContext } from "../../tools/tool.ts"
import { lineDiff } from "../workspace/line-diff.ts"
import type { WorkspaceFile } from "../workspace/workspace.ts"
import { type FileToolParts, isMissing, requireAllowed, shownPath } from "./file-tool.ts"
import type { FileChange } from "./file-tool-options.ts"

/** A file that a tool may change. */
export interface WritableFile {
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
  try {
    return { path: target, current: await places.workspace.read(target, { signal: context.signal }) }
  } catch (thrown) {
    if (isMissing(thrown)) return { path: target, current: undefined }
    throw thrown
  }
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
  const diff = lineDiff(current?.text ?? "", after)
  const verb = current === undefined ? "create" : "change"
  await requireConfirmed(parts, { path, after, before: current?.text }, { verb, diff, context })
  const { hash = "", record } = await parts.places.workspace.write(path, after, {
    by: context.key.agent,
    signal: context.signal,
    expect: current === undefined ? "absent" : { hash: current.hash },
  })
  context.record?.({
    kind: "write",
    tool: parts.name,
    summary: `${verb}d ${path}`,
    detail: diff,
    ...(record === undefined ? {} : { id: record.id }),
  })
  return hash
}

async function requireConfirmed(
  { confirmRule, name, words }: FileToolParts,
  change: FileChange,
  { verb, diff, context }: { readonly verb: string; readonly diff: string; readonly context: ToolContext },
): Promise<void> {
  const rule = confirmRule?.(change, context) ?? "free"
  if (rule === "free" || (rule === "ask-if-possible" && !context.confirm)) return
  const path = shownPath(change.path)
  if (!context.confirm) throw words.problem({ path, nobody_to_ask: true })
  const confirmed = await context.confirm({ tool: name, summary: `${verb} ${change.path}`, detail: diff }, context.signal)
  if (!confirmed) throw words.problem({ path, refused: true })
}
