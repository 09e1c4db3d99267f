import type { EditEffect } from "../../src/apps/server/inspector/edit/edit-routes.ts"
import { RequestSides } from "../compare/sides.tsx"
import type { Words } from "../words.ts"

interface EffectProps {
  readonly effect: EditEffect
  readonly words: Words
}

/** The effect of an edit on a request: its tokens, what a cache loses and for how much, and both requests side by side. */
export function EffectView({ effect: { before, after, isExact, compared }, words }: EffectProps) {
  const { lostTokens, lostCost, cause } = compared.change
  if (compared.change.outcome === "none") return <p role="status">{words.effectNone}</p>
  const by = after - before
  const sign = by < 0 ? "−" : "+"
  return (
    <>
      <p role="status">
        {isExact ? "" : `${words.about} `}
        {words.tokensFrom(before.toLocaleString(), after.toLocaleString(), `${sign}${Math.abs(by).toLocaleString()}`)}{" "}
        {lostTokens > 0 && words.cacheLoses(lostTokens.toLocaleString(), cause?.key || words.frame)}
        {lostCost !== undefined && ` ${words.costs(`$${lostCost.toPrecision(2)}`)}`}
      </p>
      <RequestSides request={compared} words={{ ...words, left: words.before, right: words.after }} />
    </>
  )
}
