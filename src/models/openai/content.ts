import { listOf, recordOf, stringOf } from "./json-access.ts"

/** The words of one delta: what is said, and what is thought. */
export interface DeltaContent {
  readonly text: string
  readonly reasoning: string
}

/** Text as a string or as typed parts (Mistral), a refusal's words, and reasoning under either of its two names. */
export function readContent(delta: Readonly<Record<string, unknown>>): DeltaContent {
  // vLLM sends the same thought under both names.
  const reasoning = stringOf(delta.reasoning_content) || stringOf(delta.reasoning)
  const text = stringOf(delta.content) + stringOf(delta.refusal)
  if (!Array.isArray(delta.content)) return { text, reasoning }
  const parts = listOf(delta.content).map(recordOf)
  return {
    text: text + parts.map((part) => stringOf(part.text)).join(""),
    reasoning: reasoning + parts.map((part) => thoughtOf(part.thinking)).join(""),
  }
}

function thoughtOf(thinking: unknown): string {
  if (typeof thinking === "string") return thinking
  return listOf(thinking)
    .map((part) => stringOf(recordOf(part).text))
    .join("")
}
