import { checkOptions } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import { didYouMean } from "../../../core/suggest.ts"
import { chatOverhead, functionTokens } from "./chat-overhead.ts"
import { createEncoder, type Encoder } from "./encoder.ts"
import { type EncodingSource, encodingOfModel, encodingSources, isEncoding, type TiktokenEncoding } from "./encodings.ts"
import { createRankTable, readRanks } from "./rank-table.ts"

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
  return {
    ...counter,
    overhead: (messages, tools = []) => chatOverhead(messages, count) + functionTokens(tools, encoding, count),
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
  if (isEncoding(encoding)) return encoding
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
