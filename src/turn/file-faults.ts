import type { UnopenedFile } from "../layers/turn-state.ts"

/** Beside the hooks' states: a hook of this name would share it. */
const owner = "file-references"

/** What the last turn could not open, as that turn left it (R8); anything else in its place counts as nothing. */
export function fileFaultsOf(hookStates: Readonly<Record<string, unknown>>): readonly UnopenedFile[] {
  const kept = hookStates[owner]
  return Array.isArray(kept) ? kept.filter(isUnopened) : []
}

/** Leaves what this turn could not open for the next one, with its commit; what was left before has been told. */
export function leaveFileFaults(hookStates: Map<string, unknown>, faults: readonly UnopenedFile[]): void {
  if (faults.length > 0 || hookStates.has(owner)) hookStates.set(owner, faults)
}

function isUnopened(value: unknown): value is UnopenedFile {
  if (typeof value !== "object" || value === null) return false
  const { written, fault } = value as Readonly<Record<string, unknown>>
  return typeof written === "string" && typeof fault === "string"
}
