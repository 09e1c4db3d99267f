import { isText, type SlotEntry, type SlotValue } from "../../src/core/value.ts"
import { type InjectionInput, toInjection } from "../../src/prompt/stack/injection.ts"

/** Who wrote each text of a value, with the names of the slots around it. */
function writers(value: SlotValue, own: string, path = ""): readonly string[] {
  if (typeof value === "boolean") return value ? [`${path}!`] : []
  if (typeof value === "string") return value === "" ? [] : [`${path}:${own}`]
  if (isText(value)) return value.text === "" ? [] : [`${path}:${value.trust}`]
  return [
    ...new Set(
      value.flatMap((entry: SlotEntry) => Object.entries(entry).flatMap(([name, one]) => writers(one, own, `${path}.${name}`))),
    ),
  ]
}

/** Everything about an injection but its words. */
export function shown(input: InjectionInput): string {
  const injection = toInjection(input) ?? { ...input, trust: "–", priority: 0, role: "–", scope: "–", fit: undefined }
  const { key, trust, priority, role, scope, stability, content, fit } = injection
  const { rank, shrink, minTokens, maxTokens, scores } = fit ?? {}
  const limits = fit
    ? ` ${shrink} at ${rank}${minTokens ? ` from ${minTokens}` : ""}${maxTokens ? ` to ${maxTokens}` : ""}${scores ? ` by ${scores}` : ""}`
    : ""
  return `${key}: ${trust} ${role} ${scope}${stability ? ` as ${stability}` : ""} ${priority}${limits} | ${writers(content, String(trust)).join(" ")}`
}
