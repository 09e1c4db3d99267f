import { isRecord, listOf } from "../../../core/json-access.ts"
import type { Job } from "../store/job-runner.ts"
import { isBadOutcome, type Receipt } from "../store/receipt.ts"
import type { ReceiptRecords } from "../store/records.ts"
import type { JobContext } from "./background-job.ts"
import { maxMessages, momentBehind, receiptsOfTurns, type TurnWords, wordsOfTurn } from "./dialogue.ts"

/** The place of a turn in its conversation, as receipts and payloads keep it: enough to find its words. */
export interface TurnPlace {
  readonly turnId: string
  readonly turn: number
  readonly untrusted: boolean
  readonly fromMs: number
  readonly untilMs: number
  readonly sinceMs?: unknown
}

/** The place of these words. */
export function placeOf({ turnId, turn, untrusted, messages, sinceMs }: TurnWords): TurnPlace {
  const times = messages.map(({ atMs }) => atMs)
  return { turnId, turn, untrusted, fromMs: Math.min(...times), untilMs: Math.max(...times), sinceMs }
}

/** The steps that ask a model to judge words. What such a step leaves unjudged stands in the value of its receipt. */
export const judgingKinds: readonly string[] = ["importance", "profile"]

/** The turns that wait for the next batch, as the receipts of one turn say. */
export const waitsIn = (receipts: readonly Receipt[]): readonly TurnPlace[] => placesIn(receipts, "waits")

/** The turns that could not be judged and stand as failed. */
export const failedIn = (receipts: readonly Receipt[]): readonly TurnPlace[] => placesIn(receipts, "unjudged")

function placesIn(receipts: readonly Receipt[], name: "waits" | "unjudged"): readonly TurnPlace[] {
  const places = receipts.flatMap(({ value }) => listOf(value?.[name])) as readonly TurnPlace[]
  return [...new Map(places.filter(isRecord).map((place) => [place.turnId, place as unknown as TurnPlace])).values()]
}

/** True if the receipts of a turn say that its own words need no further judgement: they were judged alone, or stand as failed. */
export function isSettled(receipts: readonly Receipt[]): boolean {
  const judged = receipts.filter(({ kind }) => judgingKinds.includes(kind))
  if (failedIn(judged).length > 0) return true
  return judged.some(({ kind }) => kind === "importance") && judged.every(({ outcome }) => !isBadOutcome(outcome))
}

/** True for receipts that stay as they are when the words of their turn are judged once more. */
export function staysDone(receipt: Receipt): boolean {
  const isUnjudged = failedIn([receipt]).length > 0 || receipt.value?.waits !== undefined
  return !isUnjudged && receipt.kind !== "documents" && receipt.kind !== "tidy"
}

/** The number of newest messages among which the turns of a batch are looked for. */
export const messagesOfBatch = (batchTurns: number) => Math.min(maxMessages, batchTurns * (batchTurns === 1 ? 12 : 4))

/**
 * The turns that wait to be judged together with the job's turn, oldest first: those whose judgement could not be read the last time,
 * and those that were not judged since. `own` are the receipts of the job's own turn.
 */
export async function waitingTurns(
  { key, turnId, payload }: Job,
  batch: { readonly context: JobContext; readonly receipts: ReceiptRecords; readonly batchTurns: number },
): Promise<{ readonly waiting: readonly TurnWords[]; readonly own: readonly Receipt[] }> {
  const { context, receipts, batchTurns } = batch
  const beforeMs = momentBehind(payload.untilMs)
  const look = async (limit: number, speaker?: string, near: readonly string[] = []) => {
    const found = await context.messages({ beforeMs, limit, speaker })
    const answered = found.flatMap((message) => (message.unanswered || message.turnId === turnId ? [] : [message.turnId]))
    const ids = [...new Set([...answered, ...near])]
    const known = await receiptsOfTurns([...ids, turnId], { receipts, key })
    const last = ids.findLastIndex((id) => known.some(({ turnId, kind }) => turnId === id && judgingKinds.includes(kind)))
    // A turn without memory only ends a wait that it sees.
    const isDone = last >= 0 || found.length < limit || (payload.off && !known.some(({ kind }) => kind === "batch"))
    return { found, ids, known, last, isDone }
  }
  const first = messagesOfBatch(batchTurns)
  let seen = await look(first)
  const isFar = !seen.isDone
  // The user's last judged turn may lie behind many of others. Turns that nobody began are of the user whom the conversation names.
  const speaker = key.user === key.conversation ? undefined : key.user
  for (let limit = 4 * first; !seen.isDone; limit *= 4) seen = await look(limit, speaker, seen.ids)
  const { found, ids, known, last } = seen
  const waiting: TurnWords[] = []
  for (const place of waitsIn(known.filter(({ turnId }) => turnId === ids[last]))) {
    const { turnId } = place
    if (isSettled(await receipts.ofTurn(turnId, key))) continue
    const words = await wordsOfTurn({ turnId, payload: { ...place } }, context)
    if (words !== undefined) waiting.push({ ...words, isCarried: true })
  }
  const shown = isFar ? context : { ...context, messages: async () => found }
  for (const id of ids.slice(last + 1)) {
    const place = known.find((receipt) => receipt.turnId === id && receipt.kind === "batch")?.value
    const words = place && (await wordsOfTurn({ turnId: id, payload: place }, shown))
    if (words !== undefined) waiting.push(words)
  }
  return { waiting, own: known.filter((receipt) => receipt.turnId === turnId) }
}
