import { type Split, splitCl100k, splitGpt2, splitO200k } from "./split.ts"

/** An encoding that the package `tiktoken` ships. */
export type TiktokenEncoding = "gpt2" | "r50k_base" | "p50k_base" | "p50k_edit" | "cl100k_base" | "o200k_base"

/** The pattern of an encoding, and a function that loads its tokens. */
export interface EncodingSource {
  readonly split: Split
  load(): Promise<{ readonly default: { readonly bpe_ranks: string } }>
}

/** All encodings. Each import is written out, so that a bundler finds it, and runs only when its encoding is loaded. */
export const encodingSources: Readonly<Record<TiktokenEncoding, EncodingSource>> = {
  gpt2: { split: splitGpt2, load: () => import("tiktoken/encoders/gpt2.json", { with: { type: "json" } }) },
  r50k_base: { split: splitGpt2, load: () => import("tiktoken/encoders/r50k_base.json", { with: { type: "json" } }) },
  p50k_base: { split: splitGpt2, load: () => import("tiktoken/encoders/p50k_base.json", { with: { type: "json" } }) },
  p50k_edit: { split: splitGpt2, load: () => import("tiktoken/encoders/p50k_edit.json", { with: { type: "json" } }) },
  cl100k_base: { split: splitCl100k, load: () => import("tiktoken/encoders/cl100k_base.json", { with: { type: "json" } }) },
  o200k_base: { split: splitO200k, load: () => import("tiktoken/encoders/o200k_base.json", { with: { type: "json" } }) },
}

export function isEncoding(name: string): name is TiktokenEncoding {
  return Object.hasOwn(encodingSources, name)
}

/**
 * The encoding of an OpenAI model: by tiktoken's list of names (`model_to_encoding.json`), else by the model's family. Undefined for any
 * other model. A prefix `openai/` and the name of a fine-tuned model (`ft:gpt-4o-mini:org::id`) are understood.
 */
export function encodingOfModel(model: string, names: Readonly<Record<string, string>>): string | undefined {
  const base = model.startsWith("openai/") ? model.slice("openai/".length) : model
  const name = base.startsWith("ft:") ? (base.split(":")[1] ?? "") : base
  if (Object.hasOwn(names, name)) return names[name]
  const isOf = (prefixes: readonly string[]) => prefixes.some((prefix) => `${name}-`.startsWith(prefix))
  if (isOf(o200kFamilies)) return "o200k_base"
  return isOf(cl100kFamilies) ? "cl100k_base" : undefined
}

/**
 * The first characters of the names of OpenAI's chat models, from tiktoken's own rules and from models newer than its list. `gpt-oss-` has
 * the encoding o200k_harmony, which differs from o200k_base only in special tokens.
 */
const o200kFamilies = "gpt-5- gpt-5. gpt-4.5- gpt-4.1- gpt-4o- chatgpt-4o- gpt-oss- o1- o3- o4-mini-".split(" ")
const cl100kFamilies = ["gpt-4-", "gpt-3.5-", "gpt-35-"]
