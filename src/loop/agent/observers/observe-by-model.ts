import { toldApart } from "../../../core/conversation.ts"
import { messageOf } from "../../../core/errors.ts"
import { isRecord, listOf, numberOr, parsedJson, recordOf, stringOf } from "../../../core/json-access.ts"
import { defined, type SlotEntry, type TrustedText } from "../../../core/value.ts"
import { markedPath } from "../../../memory/forgetting/pulled.ts"
import type { AskModel } from "../../../memory/services/background/background-job.ts"
import { promptData } from "../../../memory/services/background/dialogue.ts"
import { shorten } from "../../../memory/services/shorten-by-rule.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import { onOneLine } from "../../../prompt/encode/line-breaks.ts"
import type { Findings, ObserverParts, WatchedTurn } from "./watched-turn.ts"

const lastMessages = 8
const messageCharacters = 2_000
const itemCharacters = 200
const eventCharacters = 500
const noteCharacters = 1_000
const maxEvents = 5
const defaultImportance = 3

/** Asks a model what to record, to collect and to note. Undefined if it fails or its answer cannot be read: a receipt says so, and the rule decides. */
export async function observeByModel(parts: ObserverParts, turn: WatchedTurn): Promise<Findings | undefined> {
  const { name, ask, ports, putReceipt } = parts
  const { context } = turn
  const startedMs = ports.clock.nowMs()
  const told = async (outcome: Pick<Receipt, "outcome" | "message" | "model" | "usage" | "estimate">): Promise<void> => {
    const durationMs = ports.clock.nowMs() - startedMs
    const { key, turnId } = context
    await putReceipt({ key, turnId, kind: name, attempt: 1, startedMs, durationMs, ...outcome })
  }
  let answer: Awaited<ReturnType<AskModel>>
  try {
    answer = await ask("observe", await dataOf(turn), { signal: context.signal, key: context.key })
  } catch (error) {
    context.signal.throwIfAborted()
    await told({ outcome: "failed", message: `${messageOf(error)} The rule decided.` })
    return undefined
  }
  const found = readFindings(answer.text, turn)
  const { model, usage, estimate } = answer
  const asked = defined({ model, usage, estimate })
  await told(found ? { outcome: "ok", ...asked } : { outcome: "parse-error", message: "The rule decided.", ...asked })
  return found
}

async function dataOf({ context, state, result }: WatchedTurn) {
  const said = await context.messages({ limit: lastMessages })
  const dialogue = toldApart(said).map(({ speaker, text, role }): SlotEntry => {
    const trust = role === "user" ? ("user" as const) : ("agent" as const)
    return { speaker: { text: speaker.name, trust: "user" }, text: { text: shorten(text, messageCharacters), trust } }
  })
  const item = ({ id, text }: { readonly id: string; readonly text: string }): SlotEntry => {
    return { id: as(id), text: as(shorten(text, itemCharacters)) }
  }
  const done = result.records.map(({ summary }) => onOneLine(summary)).join("\n")
  return [
    promptData("dialogue", dialogue, "user"),
    promptData("done", { text: done, trust: "tool" }, "tool"),
    promptData("workspace", state.workspace.map(item), "memory"),
    promptData("pulled", state.pulled.map(item), "memory"),
  ]
}

function as(text: string): TrustedText {
  return { text, trust: "memory" }
}

/** Reads the JSON object in a model's answer. Ids that nobody has are left out. */
function readFindings(answer: string, { state }: WatchedTurn): Findings | undefined {
  const [start, end] = [answer.indexOf("{"), answer.lastIndexOf("}")]
  const read = parsedJson(answer.slice(start, end + 1))
  if (!isRecord(read)) return undefined
  const { events, collect, note } = read
  const ids = new Set(listOf(collect).flatMap((id) => (typeof id === "string" ? [id, markedPath(id)] : [])))
  const named = (items: readonly { readonly id: string }[]): readonly string[] =>
    items.map(({ id }) => id).filter((id) => ids.has(id))
  return {
    events: listOf(events).slice(0, maxEvents).flatMap(eventOf),
    garbage: { workspace: named(state.workspace), pulled: named(state.pulled) },
    note: shorten(onOneLine(stringOf(note)), noteCharacters),
  }
}

function eventOf(value: unknown): Findings["events"] {
  const { event, importance } = recordOf(value)
  const text = shorten(onOneLine(stringOf(event)), eventCharacters)
  return text === "" ? [] : [{ text, importance: numberOr(importance, defaultImportance) }]
}
