import { withCaptions } from "../../../memory/services/attachments/describe.ts"
import { withAttachments } from "../../../memory/services/attachments/read-attachments.ts"
import type { AgentContext, TurnInput } from "../../turn/turn-context.ts"

/** The input of a turn with its attachments read and described. Rejects if one cannot be used. */
export async function readInput(
  { blobs, describe, profile, ports, onWarning }: AgentContext,
  input: TurnInput,
  { signal }: { readonly signal: AbortSignal },
): Promise<TurnInput> {
  const read = await withAttachments(input, { blobs, files: profile.output.files, signal })
  if (describe === undefined || read.attachments.length === 0) return read
  const { key, turnId, bytes } = read
  const attachments = await withCaptions(read.attachments, {
    ...{ describe, bytes, signal, timers: ports.timers, timeoutMs: profile.limits.toolMs },
    onWarning: (message) => onWarning({ key, turnId, message }),
  })
  signal.throwIfAborted()
  return { ...read, attachments }
}
