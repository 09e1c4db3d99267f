import type { ToolContext } from "../../tools/tool.ts"
import { lineDiff } from "../workspace/line-diff.ts"
import type { WorkspaceFile } from "../workspace/workspace.ts"
import { type FileToolParts, isMissing, requireAllowed, shownPath } from "./file-tool.ts"
import type { FileChange } from "./file-tool-options.ts"

/** A file that a tool may change, and what it holds. */
export interface ChangeTarget {
  /** As it is spelled on the disk, or will be. */
  readonly path: string
  readonly current: WorkspaceFile | undefined
}

/** Finds what a path would change and reads it; refuses mounts and what is not allowed. */
export async function findTarget(parts: FileToolParts, path: string, context: ToolContext): Promise<ChangeTarget> {
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
 * Makes a change that was thought through: asks where the rules say so, writes only over what was read, and notes it in the
 * turn's trace. Gives the hash of what the file holds now.
 */
export async function makeChange(
  parts: FileToolParts,
  { path, current }: ChangeTarget,
  { after, context }: { readonly after: string; readonly context: ToolContext },
): Promise<string> {
  const diff = lineDiff(current?.text ?? "", after)
  const verb = current === undefined ? "create" : "change"
  await requireConfirmed(
    parts,
    { path, after, ...(current === undefined ? {} : { before: current.text }) },
    { verb, diff, context },
  )
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
