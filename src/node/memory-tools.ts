import { PromptStrataError } from "../core/errors.ts"
import { parentOf } from "../loop/turn/calls/parent-turn.ts"
import { type ExplainedMemory, explainMemories } from "../memory/services/memory/explain-memories.ts"
import { nameOf } from "../memory/services/memory/memory-service.ts"
import type { StoredMemory } from "../memory/services/store/records.ts"
import { encodeInline } from "../prompt/encode/inline.ts"
import { onOneLine } from "../prompt/encode/line-breaks.ts"
import type { TemplateValues } from "../prompt/template/render.ts"
import { renderTemplate } from "../prompt/template/render-template.ts"
import { defineTool } from "../prompt/tools/define-tool.ts"
import type { Tool } from "../prompt/tools/tool.ts"
import { textArguments } from "../prompt/tools/tool-schema.ts"
import type { ToolWords } from "../prompt/tools/tool-words.ts"

const maxExplained = 5
const maxSources = 5

/** Makes the tool `explain_memory`, which tells why the agent remembers something: words, sources, score and background work. */
export function explainMemoryTool({ timeZone = "UTC", words }: { timeZone?: string | undefined; words: ToolWords }): Tool {
  const { description, usageHint, parameters, answer } = words
  const stamp = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" })
  return defineTool({
    name: "explain_memory",
    description,
    usageHint,
    group: "context",
    inputSchema: textArguments({ query: { description: parameters.query } }),
    async execute({ query }, context) {
      const { memory, receipts } = parentOf(context) ?? {}
      if (memory === undefined || receipts === undefined) return renderTemplate(answer, { off: true })
      const { key, signal } = context
      const found = await explainMemories({ memory, receipts }, query, key, { limit: maxExplained, signal })
      if (found.length === 0) return renderTemplate(answer, { none: true })
      const at = (atMs: number): string => stamp.format(atMs)
      return found.map((each) => renderTemplate(answer, valuesOf(each, at))).join("\n")
    },
  })
}

/** Texts are encoded one by one, so that a memory cannot look like another one. */
function valuesOf(
  { id, text, speaker, atMs, score, why = [], stored, sources, receipts }: ExplainedMemory,
  at: (atMs: number) => string,
): TemplateValues {
  const { conversation, kind, importance } = stored ?? {}
  const name = nameOf(speaker)
  const signals = why.filter(({ share }) => share >= 0.005).map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`)
  const shown = sources.slice(0, maxSources).map((source) => sourceText(source, at))
  const work = receipts.map(({ kind, outcome, message = "" }) => `${kind} ${outcome} ${message}`.trim())
  return {
    id: encodeInline(id),
    text: encodeInline(text),
    insight: kind === "insight",
    by: name && encodeInline(name),
    at: atMs === undefined ? undefined : at(atMs),
    where: conversation === undefined ? undefined : encodeInline(conversation),
    score: score === undefined ? undefined : score.toFixed(2),
    signals: signals.join(", ") || undefined,
    importance,
    sources: shown.join("; ") || undefined,
    more: Math.max(0, sources.length - maxSources) || undefined,
    work: work.length === 0 ? undefined : encodeInline(onOneLine(work.join("; "))),
  }
}

function sourceText({ id, text, speaker, atMs }: StoredMemory, at: (atMs: number) => string): string {
  return `${encodeInline(id)} (${encodeInline(speaker.name)}, ${at(atMs)}) ${encodeInline(text)}`
}

/**
 * Makes the tool `forget_memory`, which forgets one memory of the speaker with all that was drawn with it. It asks first if the program
 * can ask somebody.
 */
export function forgetMemoryTool({ words }: { words: ToolWords }): Tool {
  const { description, usageHint, parameters, answer } = words
  const say = (values: TemplateValues): string => renderTemplate(answer, values)
  const refusal = (values: TemplateValues) => new PromptStrataError("tool-arguments", say(values))
  return defineTool({
    name: "forget_memory",
    description,
    usageHint,
    group: "context",
    writes: true,
    inputSchema: textArguments({ id: { description: parameters.id } }),
    async execute({ id }, context) {
      const { memory } = parentOf(context) ?? {}
      if (memory?.get === undefined || memory.forget === undefined) throw refusal({ off: true })
      const { key, clock, confirm, signal } = context
      const known = await memory.get(id, key)
      if (known === undefined || known.user !== key.user) throw refusal({ unknown: encodeInline(id) })
      const asked = { tool: "forget_memory", summary: say({ asks: onOneLine(known.text) }) }
      if (confirm && !(await confirm(asked, signal))) throw refusal({ refused: true })
      // After this the memory is gone, also if the turn ends.
      signal.throwIfAborted()
      const { memories, statements } = await memory.forget([id], key, { atMs: clock.nowMs(), inTurn: true })
      context.record?.({ kind: "forget", tool: "forget_memory", summary: say({ memories, statements }) })
      return say({ memories, statements })
    },
  })
}
