import type { Assembly, LoreDecision } from "../core/span.ts"
import words from "./lore-reasons.json" with { type: "json" }
import { asWritten, fitColumns, headsIn, printTable } from "./table.ts"

/** The words for what kept an entry out. */
const reasons: Readonly<Record<string, string>> = words

/**
 * Prints which entries of lorebooks are in a request, by which key, at which place and at what cost, and what kept the others out (C18).
 * The cost is the number of tokens behind an entry that a provider could serve from its cache if the entry were not there (C20). The tables fit a terminal of `maxWidth` columns; `say` puts their words into another language.
 */
export function printLore(assembly: Assembly, maxWidth = Number.POSITIVE_INFINITY, say = asWritten): string {
  const { lore = [] } = assembly
  const [within, out] = [lore.filter(({ outcome }) => outcome === "in"), lore.filter(({ outcome }) => outcome !== "in")]
  if (lore.length === 0) return say("No entry of a lorebook was called.")
  const part = (title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : [title, printTable(headsIn(heads, say), rows, maxWidth)]
  const shown = within.map((each) => rowOf(each, assembly, say))
  const kept = out.map((each) => [nameOf(each), callOf(each, say), say(reasons[each.outcome] ?? each.outcome)])
  return [
    ...part(say(`In the prompt: ${within.length}`), ["entry", "called by", "place", "tokens", "cost"], shown),
    ...part(say(`Kept out: ${out.length}`), ["entry", "called by", "kept out by"], kept),
  ].join("\n")
}

function rowOf(decision: LoreDecision, { spans, decisions }: Assembly, say: typeof asWritten): readonly string[] {
  const { injection: key = "" } = decision
  const first = spans.findIndex((span) => span.key === key && span.part === "content")
  const fate = decisions.find((other) => other.key === key)
  const names = [nameOf(decision), callOf(decision, say)]
  if (first < 0) return [...names, say(fate?.fate ?? ""), "0", "0"]
  const tokens = spans.reduce((sum, span) => sum + (span.key === key ? span.tokens : 0), 0)
  const behind = spans.slice(first).filter(({ stability }) => stability !== "turn")
  const cost = decision.always ? 0 : behind.reduce((sum, span) => sum + span.tokens, 0)
  return [...names, key.slice(0, key.lastIndexOf("/")), `${tokens}`, `${cost}`]
}

function nameOf({ book, entry }: LoreDecision): string {
  return fitColumns(`${book}: ${entry}`, 36)
}

function callOf({ key, where, always }: LoreDecision, say: typeof asWritten): string {
  if (key === undefined) return say(always ? "always" : "needs no key")
  const back = where === 1 ? "1 message back" : `${where} messages back`
  const place = where === "lore" ? "in other lore" : where === 0 ? "in the newest message" : back
  return `${fitColumns(key, 30)} ${say(place)}`
}
