import type { TiktokenEncoding } from "./encodings.ts"

/** What the names of OpenAI's chat models begin with: tiktoken's own rules, and the models that came after its list. */
const families: readonly (readonly [prefix: string, encoding: TiktokenEncoding])[] = [
  ["gpt-5-", "o200k_base"],
  ["gpt-5.", "o200k_base"],
  ["gpt-4.5-", "o200k_base"],
  ["gpt-4.1-", "o200k_base"],
  ["gpt-4o-", "o200k_base"],
  ["chatgpt-4o-", "o200k_base"],
  // Its o200k_harmony has the tokens and the pattern of o200k_base, and differs in special tokens alone.
  ["gpt-oss-", "o200k_base"],
  ["o1-", "o200k_base"],
  ["o3-", "o200k_base"],
  ["o4-mini-", "o200k_base"],
  ["gpt-4-", "cl100k_base"],
  ["gpt-3.5-", "cl100k_base"],
  ["gpt-35-", "cl100k_base"],
]

/**
 * The encoding of an OpenAI model, by tiktoken's list of names (`model_to_encoding.json`) and by family; undefined for
 * any other. `openai/` before the name and a fine-tuned name (`ft:gpt-4o-mini:org::id`) are understood.
 */
export function encodingOfModel(model: string, names: Readonly<Record<string, string>>): string | undefined {
  const name = baseName(model)
  if (Object.hasOwn(names, name)) return names[name]
  return families.find(([prefix]) => `${name}-`.startsWith(prefix))?.[1]
}

function baseName(model: string): string {
  const name = model.startsWith("openai/") ? model.slice("openai/".length) : model
  return name.startsWith("ft:") ? (name.split(":")[1] ?? "") : name
}
