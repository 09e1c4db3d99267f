import { checkOptions } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import { Memo, memoKind } from "../../../core/memo.ts"
import type { CountedTool, TokenCounter } from "../../../core/ports.ts"
import { didYouMean } from "../../../core/suggest.ts"
import { createEncoder, type Encoder } from "./encoder.ts"
import { createRankTable, readRanks } from "./rank-table.ts"
import { type Split, splitCl100k, splitGpt2, splitO200k } from "./split.ts"

/** The name of the model, or of the encoding, whose tokens are counted. */
export type TiktokenCounterOptions =
  | { readonly model: string; readonly encoding?: undefined }
  | { readonly encoding: TiktokenEncoding; readonly model?: undefined }

/** A counter with all optional methods of the port but `overhead`. */
export type TiktokenCounter = TokenCounter & Required<Pick<TokenCounter, "pieces" | "scan" | "longestToken">>

/** The encoding that comes nearest to those of most current models. */
const defaultEncoding: TiktokenEncoding = "o200k_base"

/**
 * Makes a counter whose `count(text)` is the length of tiktoken's `encode_ordinary(text)`, at near-linear cost for any text. Text that
 * reads like a special token is counted as plain text.
 *
 * A model that is not OpenAI's is counted as `o200k_base` with `exact: false`: an estimate for DeepSeek, Qwen and others. `exact` is
 * about texts. The overhead of messages follows OpenAI's published formula; that of native tools is an estimate.
 *
 * The first call for an encoding loads it (some 80 ms of CPU); later counters share it. Throws `usage` without a model or encoding and
 * for an unknown encoding, and `missing-dependency` when the package `tiktoken` cannot be loaded.
 */
export async function tiktokenCounter(options: TiktokenCounterOptions): Promise<TiktokenCounter> {
  checkOptions("tiktokenCounter", options, { model: true, encoding: true })
  const { encoding, exact } = await choose(options)
  const { count, pieces, scan, longestToken } = await loadEncoder(encoding)
  const counter: TiktokenCounter = { exact, count, pieces, scan, longestToken }
  if (encoding !== "o200k_base" && encoding !== "cl100k_base") return counter
  const memo = new Memo()
  return {
    ...counter,
    overhead: (messages, tools = []) => chatOverhead(messages, count) + functionTokens(tools, encoding, count, memo),
  }
}

async function choose({ model, encoding }: TiktokenCounterOptions): Promise<{ encoding: TiktokenEncoding; exact: boolean }> {
  if (encoding !== undefined) return { encoding: checked(encoding), exact: true }
  if (typeof model !== "string" || model === "") {
    throw new PromptStrataError("usage", "Expected the name of a model or of an encoding for tiktokenCounter, found neither.", {
      hint: 'Write tiktokenCounter({ model: "gpt-4o" }) or tiktokenCounter({ encoding: "o200k_base" }).',
    })
  }
  const { default: names } = await import("tiktoken/model_to_encoding.json", { with: { type: "json" } })
  const found = encodingOfModel(model, names)
  return found === undefined ? { encoding: defaultEncoding, exact: false } : { encoding: checked(found), exact: true }
}

function checked(encoding: string): TiktokenEncoding {
  if (Object.hasOwn(encodingSources, encoding)) return encoding as TiktokenEncoding
  const known = Object.keys(encodingSources)
  const message = `There is no encoding ${JSON.stringify(encoding)}; tiktoken has ${known.join(", ")}.`
  throw new PromptStrataError("usage", message + didYouMean(encoding, known))
}

const loaded = new Map<TiktokenEncoding, Promise<Encoder>>()

/**
 * Loads the encoder of an encoding, once for all counters. It takes up to 15 MB of plain memory, so nothing has to be freed. Throws
 * `missing-dependency` when tiktoken's file cannot be loaded; the next call tries again.
 */
export function loadEncoder(encoding: TiktokenEncoding, source: EncodingSource = encodingSources[encoding]): Promise<Encoder> {
  const known = loaded.get(encoding)
  if (known) return known
  const loading = load(encoding, source)
  loaded.set(encoding, loading)
  loading.catch(() => loaded.delete(encoding))
  return loading
}

async function load(encoding: TiktokenEncoding, source: EncodingSource): Promise<Encoder> {
  const file = await source.load().catch((cause: unknown) => {
    const message = `The tokens of ${encoding} could not be loaded from the package \`tiktoken\`.`
    const hint = "Run `npm install tiktoken`, or count with `roughCounter`, which needs no file."
    throw new PromptStrataError("missing-dependency", message, { cause, hint })
  })
  return createEncoder({ table: createRankTable(readRanks(file.default.bpe_ranks)), split: source.split })
}

/** An encoding that the package `tiktoken` ships. */
export type TiktokenEncoding = "gpt2" | "r50k_base" | "p50k_base" | "p50k_edit" | "cl100k_base" | "o200k_base"

/** The pattern of an encoding, and a function that loads its tokens. */
interface EncodingSource {
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

type Count = (text: string) => number

/**
 * The tokens that OpenAI's chat format adds around messages, by the formula of the OpenAI cookbook ("How to count tokens with
 * tiktoken"): 3 for each message and those of its role, and 3 for the beginning of the reply. Tools are not included.
 */
export function chatOverhead(messages: readonly { readonly role: string }[], count: Count): number {
  const roles = new Map<string, number>()
  for (const { role } of messages) roles.set(role, (roles.get(role) ?? 0) + 1)
  let tokens = 3
  for (const [role, times] of roles) tokens += times * (3 + count(role))
  return tokens
}

/** The numbers of the cookbook for functions. */
const perFunction = { o200k_base: 7, cl100k_base: 10 } as const
const perProperties = 3
const perProperty = 3
const perEnum = -3
const perEnumItem = 3
const afterFunctions = 12

/** The tokens of each tool's texts. */
const toolTokens = memoKind<CountedTool, number>()

/**
 * An estimate of the tokens of native tool schemas. OpenAI has not published the format that its models read. The cookbook's numbers
 * hold for flat schemas; nested schemas are counted as JSON. The memo remembers each tool, as every request of an agent has the same.
 */
export function functionTokens(
  tools: readonly CountedTool[],
  encoding: keyof typeof perFunction,
  count: Count,
  memo = new Memo(),
): number {
  if (tools.length === 0) return 0
  const tokensOf = (tool: CountedTool): number => memo.made(toolTokens, tool, () => oneFunction(tool, count))
  return tools.reduce((sum, tool) => sum + perFunction[encoding] + tokensOf(tool), afterFunctions)
}

function oneFunction({ name, description, parameters }: CountedTool, count: Count): number {
  const properties = Object.entries(recordOf(parameters.properties))
  const listed = properties.reduce((sum, [key, schema]) => sum + property(key, recordOf(schema), count), 0)
  return count(`${name}:${withoutStop(description)}`) + (properties.length > 0 ? perProperties : 0) + listed
}

function property(
  key: string,
  { type, description, enum: values, ...rest }: Readonly<Record<string, unknown>>,
  count: Count,
): number {
  const kind = typeof type === "string" ? type : JSON.stringify(type ?? "")
  const line = `${key}:${kind}:${withoutStop(stringOf(description))}`
  const items = listOf(values)
  const choices = items.reduce<number>((sum, item) => sum + perEnumItem + count(String(item)), perEnum)
  const nested = Object.keys(rest).length > 0 ? count(JSON.stringify(rest)) : 0
  return perProperty + count(line) + (items.length > 0 ? choices : 0) + nested
}

function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text
}
