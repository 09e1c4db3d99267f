import { shorten } from "../../../memory/forgetting/shorten-by-rule.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { type Findings, type ObserverParts, oneLine, type WatchedTurn } from "./watched-turn.ts"

const importance = 4
const askedCharacters = 80
const maxFiles = 5
const maxSaid = 20

/** Records what tools changed in a turn as one event. Talk is recorded elsewhere, when its topic has ended. */
export async function recordByRule({ dialect }: ObserverParts, { context, result }: WatchedTurn): Promise<Findings["events"]> {
  const written = result.records.filter(({ kind }) => kind === "write").map(({ summary }) => oneLine(summary))
  const files = [...new Set(written.map((summary) => summary.slice(summary.indexOf(" ") + 1)))]
  if (files.length === 0) return []
  // Behind the turn's own words others may stand already.
  const said = await context.messages({ role: "user", limit: maxSaid })
  const asked = said.findLast(({ turnId }) => turnId === context.turnId)
  const named = files.slice(0, maxFiles).join(", ") + (files.length > maxFiles ? " …" : "")
  const text = renderNotice(dialect, "observer-event", {
    files: named,
    speaker: oneLine(asked?.speaker.name ?? ""),
    asked: shorten(oneLine(asked?.text ?? ""), askedCharacters),
  })
  return [{ text: oneLine(text), importance }]
}
