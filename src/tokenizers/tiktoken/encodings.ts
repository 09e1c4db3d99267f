import { type Split, splitCl100k, splitGpt2, splitO200k } from "./split.ts"

/** An encoding that the package `tiktoken` ships. */
export type TiktokenEncoding = "gpt2" | "r50k_base" | "p50k_base" | "p50k_edit" | "cl100k_base" | "o200k_base"

/** Where an encoding cuts a text to pieces, and how its tokens are loaded. */
export interface EncodingSource {
  readonly split: Split
  load(): Promise<{ readonly default: { readonly bpe_ranks: string } }>
}

/** Every encoding. The imports are written out, so that a bundler finds them and loads none before it is asked for. */
export const encodingSources: Readonly<Record<TiktokenEncoding, EncodingSource>> = {
  gpt2: { split: splitGpt2, load: () => import("tiktoken/encoders/gpt2.json", { with: { type: "json" } }) },
  r50k_base: { split: splitGpt2, load: () => import("tiktoken/encoders/r50k_base.json", { with: { type: "json" } }) },
  p50k_base: { split: splitGpt2, load: () => import("tiktoken/encoders/p50k_base.json", { with: { type: "json" } }) },
  p50k_edit: { split: splitGpt2, load: () => import("tiktoken/encoders/p50k_edit.json", { with: { type: "json" } }) },
  cl100k_base: { split: splitCl100k, load: () => import("tiktoken/encoders/cl100k_base.json", { with: { type: "json" } }) },
  o200k_base: { split: splitO200k, load: () => import("tiktoken/encoders/o200k_base.json", { with: { type: "json" } }) },
}

/** True for the name of an encoding. */
export function isEncoding(name: string): name is TiktokenEncoding {
  return Object.hasOwn(encodingSources, name)
}

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
