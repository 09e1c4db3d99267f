import type { Scope } from "../core/scope.ts"
import type { Source } from "../core/source.ts"
import type { Assembly, Decision } from "../core/span.ts"
import type { Injection, InjectionRole } from "../core/value.ts"
import { isText } from "../core/value.ts"
import type { Markers } from "../encode/lines.ts"
import { printValue } from "./value-text.ts"

/** One item of a stack as plain data, for people. */
export interface InjectionDebug {
  readonly key: string
  /** The first 200 characters (code points), then `...` where there are more. */
  readonly content: string
  readonly priority: number
  readonly role: InjectionRole
  readonly scope: Scope
  readonly enabled: boolean
  readonly source?: Source
  /** Of all spans of this key in the assembly. */
  readonly tokens?: number
  readonly fate?: Decision["fate"]
  readonly reason?: string
}

const shownCharacters = 200
const noMarkers: Markers = { lines: new Set(), heads: [], fences: false }

/** Every item in the given order, disabled ones too; an assembly adds what became of each (S6). */
export function renderDebug(items: readonly Injection[], assembly?: Assembly): InjectionDebug[] {
  return items.map((item) => {
    const { key, priority, role, scope, enabled } = item
    const content = printValue(item.content, item.trust, noMarkers).map((printed) => printed.text)
    const source = sourceOf(item, assembly)
    const shown = { key, content: shorten(content.join("\n")), priority, role, scope, enabled, ...(source ? { source } : {}) }
    return assembly ? { ...shown, ...outcomeOf(key, assembly) } : shown
  })
}

function sourceOf(item: Injection, assembly: Assembly | undefined): Source | undefined {
  const span = assembly?.spans.find((span) => span.key === item.key && span.part === "content" && span.source)
  if (span?.source) return span.source
  return (isText(item.content) ? item.content.source : undefined) ?? item.source
}

function outcomeOf(key: string, assembly: Assembly): Pick<InjectionDebug, "tokens" | "fate" | "reason"> {
  const tokens = assembly.spans.reduce((sum, span) => (span.key === key ? sum + span.tokens : sum), 0)
  const decision = assembly.decisions.findLast((decision) => decision.key === key)
  return decision ? { tokens, fate: decision.fate, reason: decision.reason } : { tokens }
}

function shorten(text: string): string {
  let end = 0
  for (let count = 0; count < shownCharacters && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end < text.length ? `${text.slice(0, end)}...` : text
}
