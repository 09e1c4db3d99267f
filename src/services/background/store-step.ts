import { graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import type { MemoryService, NewMemory } from "../memory.ts"
import type { MemoryRun, StepResult } from "./memory-run.ts"
import type { TurnWords } from "./turn-words.ts"

/** More of one message no memory keeps; recall reads no more either. */
const maxCharacters = 16_384

/** Stores the words of turns that are important enough (T31): each message a memory under an id made from its turn, so once. */
export async function storeStep(run: MemoryRun, memory: MemoryService, signal: AbortSignal): Promise<StepResult> {
  const importance = run.receipt("importance")?.value?.importance
  const { importanceThreshold } = run.options.settings
  if (typeof importance !== "number") return { outcome: "skipped", message: "nobody judged the importance" }
  if (importance < importanceThreshold)
    return { outcome: "skipped", message: `importance ${importance} is below ${importanceThreshold}`, value: { stored: 0 } }
  let stored = 0
  let duplicates = 0
  for (const given of run.turns.flatMap((turn) => memoriesOf(turn, importance))) {
    await run.expectWanted(signal)
    const { status } = await memory.remember(given, run.key)
    if (status === "stored") stored++
    else duplicates++
  }
  const known = duplicates === 0 ? "" : `, ${duplicates} known`
  return { outcome: stored > 0 ? "ok" : "empty", message: `${stored} stored${known}`, value: { stored, duplicates } }
}

function memoriesOf({ turnId, turn, untrusted, messages }: TurnWords, importance: number): readonly NewMemory[] {
  return messages.map(({ text, speaker, atMs }, at) => ({
    id: `${turnId}:${at}`,
    kind: "dialogue" as const,
    text: text.length <= maxCharacters ? text : text.slice(0, graphemeBoundaryBefore(text, maxCharacters)),
    speaker,
    atMs,
    turnId,
    turn,
    importance,
    ...(untrusted ? { untrusted: true as const } : {}),
  }))
}
