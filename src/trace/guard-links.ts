import { linkHosts } from "../reply/output/link-address.ts"
import { createLinkReader, withoutLinks } from "../reply/output/link-reader.ts"
import type { OutputPart } from "../reply/output/output-part.ts"
import type { TurnWarning } from "./trace.ts"
import type { TurnEvent, TurnResult } from "./turn-event.ts"

type TextEvent = TurnEvent & { readonly type: "text-delta" | "thinking-delta" }

/**
 * The events of a turn for a chat or a page, which loads images and follows links by itself: text, bubbles and thoughts have only
 * those of the profile's `[output] links`, and none if it does not say (T48). A `warning` tells what was removed, also in the trace
 * of the result.
 */
export async function* guardLinks(turn: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  let hosts: readonly string[] | undefined = []
  let readers = readersOf(hosts)
  let last: TextEvent | undefined
  const warnings: TurnWarning[] = []
  const told = (parts: readonly OutputPart[], of: TextEvent): TurnEvent[] =>
    parts.flatMap((part): TurnEvent[] => {
      if (part.type === "text") return [{ ...of, delta: part.delta }]
      if (part.type !== "warning") return []
      const warning: TurnWarning = { kind: "links", message: part.message }
      warnings.push(warning)
      return [{ type: "warning", warning }]
    })
  for await (const event of turn) {
    if (event.type === "turn-start") {
      hosts = linkHosts(event.links ?? [])
      readers = readersOf(hosts ?? [])
    }
    const text = hosts && (event.type === "text-delta" || event.type === "thinking-delta") ? event : undefined
    // The last words of an answer can come behind the end of its step, and a warning within a word.
    const isBeside = event.type === "step-end" || event.type === "warning"
    if (last && last.type !== text?.type && !isBeside) {
      const isEnd = event.type === "bubble" || event.type === "attachment"
      yield* told(readers[last.type].push({ type: isEnd ? "bubble-end" : "empty-reply" }), last)
    }
    if (!isBeside) last = text
    if (text) yield* told(readers[text.type].push({ type: "text", delta: text.delta }), text)
    else if (event.type === "bubble") yield { ...event, text: withoutLinks(event.text, hosts) }
    else if (event.type === "turn-end" && hosts) yield { ...event, result: guardedResult(event.result, hosts, warnings) }
    else yield event
  }
}

/**
 * A text of a model or a tool that a person must see whole, such as the question about a call (T48): if it has a link that the policy
 * removes, its addresses are told apart as `evil[.]com`, so that no client loads or follows any of them. No character goes.
 */
export function withBrokenLinks(text: string, hosts: readonly string[] | undefined): string {
  if (withoutLinks(text, hosts) === text) return text
  const broken = text.replace(/[.\uff0e\uff61](?=\S)|(?<=\p{L}):(?=\S)/gu, "[$&]")
  return broken.replace(/\](?=[(:])|\/(?=\/)|[<&\\]/g, "$& ")
}

const readersOf = (hosts: readonly string[]) => ({
  "text-delta": createLinkReader(hosts),
  "thinking-delta": createLinkReader(hosts),
})

function guardedResult(result: TurnResult, hosts: readonly string[], warnings: readonly TurnWarning[]): TurnResult {
  if (warnings.length === 0) return result
  const trace = { ...result.trace, warnings: [...result.trace.warnings, ...warnings] }
  if (!result.ok) return { ...result, trace, gathered: { ...result.gathered, text: withoutLinks(result.gathered.text, hosts) } }
  return { ...result, trace, text: result.output === undefined ? withoutLinks(result.text, hosts) : result.text }
}
