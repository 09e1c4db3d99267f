import { encodeInline } from "../../../../prompt/encode/inline.ts"
import type { Tool } from "../../../../prompt/tools/tool.ts"
import { markedPath } from "../../pulled.ts"
import { compress } from "../../reference/compress.ts"
import { formatReferenceInfo, parseReferenceInfo } from "../../reference/reference-info.ts"
import { compressionLevels, criterionNames } from "../../reference/reference-source.ts"
import { CallRefusal, type ContextToolParts, defineContextTool } from "./context-tool.ts"

const criteria = Object.keys(criterionNames) as readonly (keyof typeof criterionNames)[]
const kinds = {
  id: "text",
  level: "text",
  criterion: "text",
  weights: "text",
  count: "number",
  from: "number",
  to: "number",
  topic: "text",
} as const

/** `compress`: compresses a piece of reference info in the workspace and adds a source that says so (R23). It does not work on files. */
export function compressTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "compress",
    kinds,
    required: ["id"],
    writes: true,
    async run({ id: given = "", level, criterion, weights, count, from, to, topic }) {
      const id = markedPath(given)
      const item = parts.read().workspace.find((known) => known.id === id && known.kind === "reference")
      if (item === undefined) throw new CallRefusal({ unknown: encodeInline(id.slice(0, 200)) })
      const reference = parseReferenceInfo(item.text) ?? { source: [{ kind: "unknown" }], current: item.text, extraData: "" }
      const after = await compress(reference, {
        level: oneOf(compressionLevels, level, "level") ?? "medium",
        criterion: oneOf(criteria, criterion, "criterion"),
        weights: readWeights(weights),
        count,
        topic,
        range: [from ?? 1, to ?? Number.MAX_SAFE_INTEGER],
        path: id,
      })
      const text = formatReferenceInfo(after)
      const now = parts.read()
      parts.write({ ...now, workspace: now.workspace.map((known) => (known.id === id ? { ...known, text } : known)) })
      return { compressed: encodeInline(id), before: reference.current.length, after: after.current.length }
    },
  })
}

function oneOf<T extends string>(known: readonly T[], given: string | undefined, name: string): T | undefined {
  if (given === undefined) return undefined
  const found = known.find((word) => word === given.trim())
  if (found === undefined) throw new CallRefusal({ [`bad_${name}`]: encodeInline(given.slice(0, 80)), known: known.join(", ") })
  return found
}

function readWeights(text: string | undefined): readonly [number, number, number] | undefined {
  if (text === undefined) return undefined
  const [match, recency, use, ...more] = text
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const all = [match, recency, use]
  if (more.length > 0 || !all.every(Number.isFinite)) throw new CallRefusal({ bad_weights: encodeInline(text.slice(0, 80)) })
  return all as [number, number, number]
}
