import type { AgentComparison } from "../../src/apps/server/inspector/compare/compare-agents.ts"
import { RequestSides } from "../compare/sides.tsx"
import type { Words } from "../words.ts"

interface EffectProps {
  /** The request as the files are on the disk, beside the one with the edit. */
  readonly effect: AgentComparison
  readonly words: Words
}

/** The effect of an edit on a request: its tokens, what a cache loses and for how much, and both requests side by side. */
export function EffectView({ effect: { request, estimates }, words }: EffectProps) {
  const [before, after] = [estimates.a.readTokens, estimates.b.readTokens]
  if (!request || request.change.outcome === "none") return <p role="status">{words.effectNone}</p>
  const { lostTokens, lostCost, cause } = request.change
  const by = after - before
  const sign = by < 0 ? "−" : "+"
  return (
    <>
      <p role="status">
        {estimates.a.exact && estimates.b.exact ? "" : `${words.about} `}
        {words.tokensFrom(before.toLocaleString(), after.toLocaleString(), `${sign}${Math.abs(by).toLocaleString()}`)}{" "}
        {lostTokens > 0 && words.cacheLoses(lostTokens.toLocaleString(), cause?.key || words.frame)}
        {lostCost !== undefined && ` ${words.costs(`$${lostCost.toPrecision(2)}`)}`}
      </p>
      <RequestSides request={request} words={{ ...words, left: words.before, right: words.after }} />
    </>
  )
}
