import type { OpenedFile } from "../services/file-references.ts"
import type { OpenFile } from "./file-queue.ts"
import type { TurnSetup } from "./turn-setup.ts"
import { within } from "./within.ts"

/** The turn's way to open what its answer shows (R8), within the time of one tool run; absent where the profile has none. */
export function fileOpener({ output, limits, ports, key }: TurnSetup, signal: AbortSignal): OpenFile | undefined {
  const { files } = output
  if (!files) return undefined
  return async (reference) => {
    const outcome = await within({ timeoutMs: limits.toolMs, signal, timers: ports.timers }, (fileSignal) =>
      files.open(reference, { key, signal: fileSignal }),
    )
    if (outcome.status === "aborted") return undefined
    return outcome.status === "done" && isOpened(outcome.value) ? outcome.value : { ok: false, fault: "failed" }
  }
}

/** Code without types may hand over anything. */
function isOpened(value: unknown): value is OpenedFile {
  if (typeof value !== "object" || value === null) return false
  const { ok, attachment, fault } = value as Readonly<Record<string, unknown>>
  return (ok === false && typeof fault === "string") || (ok === true && typeof attachment === "object" && attachment !== null)
}
