import { encodeInline } from "../../../encode/inline.ts"
import { markedPath } from "../../../forgetting/pulled.ts"
import { compress } from "../../../forgetting/reference/compress.ts"
import { formatReferenceInfo, parseReferenceInfo } from "../../../forgetting/reference/reference-info.ts"
import { criterionNames } from "../../../forgetting/reference/reference-source.ts"
import type { Tool } from "../../../tools/tool.ts"
import { type ContextToolParts, defineContextTool, refusal } from "./context-tool.ts"

const levels = ["weak", "medium", "extreme"] as const
const criteria = Object.keys(criterionNames) as readonly (keyof typeof criterionNames)[]

/** `compress`: shortens a piece of reference info in the workspace; its sources say how (R23). A file has nothing to compress here. */
export function compressTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "compress",
    kinds: {
      id: "text",
      level: "text",
      criterion: "text",
      weights: "text",
      count: "number",
      from: "number",
      to: "number",
      topic: "text",
    },
    required: ["id"],
    writes: true,
    async run({ id: given = "", level, criterion, weights, count, from, to, topic }) {
      const id = markedPath(given)
      const state = parts.read()
      const item = state.workspace.find((known) => known.id === id && known.kind === "reference")
      if (item === undefined) throw refusal({ unknown: encodeInline(id.slice(0, 200)) })
      const reference = parseReferenceInfo(item.text) ?? { source: [{ kind: "unknown" }], current: item.text, extraData: "" }
      const after = await compress(reference, {
        level: oneOf(levels, level, "level") ?? "medium",
        ...optional("criterion", oneOf(criteria, criterion, "criterion")),
        ...optional("weights", readWeights(weights)),
        ...optional("count", count),
        ...optional("topic", topic),
        ...(from === undefined && to === undefined ? {} : { range: [from ?? 1, to ?? Number.MAX_SAFE_INTEGER] as const }),
        path: id,
      })
      const text = formatReferenceInfo(after)
      const now = parts.read()
      parts.write({ ...now, workspace: now.workspace.map((known) => (known.id === id ? { ...known, text } : known)) })
      return { compressed: encodeInline(id), before: reference.current.length, after: after.current.length }
    },
  })
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: T })
}

function oneOf<T extends string>(known: readonly T[], given: string | undefined, name: string): T | undefined {
  if (given === undefined) return undefined
  const found = known.find((word) => word === given.trim())
  if (found === undefined) throw refusal({ [`bad_${name}`]: encodeInline(given.slice(0, 80)), known: known.join(", ") })
  return found
}

function readWeights(text: string | undefined): readonly [number, number, number] | undefined {
  if (text === undefined) return undefined
  const [match, recency, use, ...more] = text
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const all = [match, recency, use]
  if (more.length > 0 || !all.every(Number.isFinite)) throw refusal({ bad_weights: encodeInline(text.slice(0, 80)) })
  return all as [number, number, number]
}
