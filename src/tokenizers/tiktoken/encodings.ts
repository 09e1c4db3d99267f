import type { Split } from "./split.ts"
import { splitCl100k } from "./split-cl100k.ts"
import { splitGpt2 } from "./split-gpt2.ts"
import { splitO200k } from "./split-o200k.ts"

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
