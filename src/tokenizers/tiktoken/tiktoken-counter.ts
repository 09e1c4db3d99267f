import { PromptStrataError } from "../../core/errors.ts"
import type { TokenCounter } from "../../core/ports.ts"
import { didYouMean } from "../../core/suggest.ts"
import { chatOverhead, functionTokens } from "./chat-overhead.ts"
import { createEncoder, type Encoder } from "./encoder.ts"
import { type EncodingSource, encodingOfModel, encodingSources, isEncoding, type TiktokenEncoding } from "./encodings.ts"
import { createRankTable, readRanks } from "./rank-table.ts"

/** Whose tokens to count: those of a model, or of an encoding by its name. */
export type TiktokenCounterOptions =
  | { readonly model: string; readonly encoding?: undefined }
  | { readonly encoding: TiktokenEncoding; readonly model?: undefined }

/** A counter with everything the port has. */
export type TiktokenCounter = TokenCounter & Required<Pick<TokenCounter, "pieces" | "scan" | "longestToken">>

/** What most models of today come nearest to. */
const defaultEncoding: TiktokenEncoding = "o200k_base"

/**
 * A counter whose `count(text)` is the length of tiktoken's `encode_ordinary(text)`, at near-linear cost for any text.
 * A model that is not OpenAI's is counted as `o200k_base` with `exact: false`: an estimate for DeepSeek, Qwen and others
 * behind a compatible server. `exact` is about texts: overhead of messages is OpenAI's published formula, that of native tools
 * an estimate. Text that reads like a special token is counted as the text it is. Loads its encoding when
 * called (some 80 ms of CPU), once for all counters of it. Throws `usage` for an encoding that does not exist and for
 * neither a model nor an encoding.
 */
export async function tiktokenCounter(options: TiktokenCounterOptions): Promise<TiktokenCounter> {
  const { encoding, exact } = await choose(options)
  const { count, pieces, scan, longestToken } = await loadEncoder(encoding)
  return {
    exact,
    count,
    pieces,
    scan,
    longestToken,
    ...(encoding === "o200k_base" || encoding === "cl100k_base"
      ? { overhead: (messages, tools = []) => chatOverhead(messages, count) + functionTokens(tools, encoding, count) }
      : {}),
  }
}

async function choose({ model, encoding }: TiktokenCounterOptions): Promise<{ encoding: TiktokenEncoding; exact: boolean }> {
  if (encoding !== undefined) return { encoding: checked(encoding), exact: true }
  if (typeof model !== "string" || model === "") {
    throw new PromptStrataError("usage", "tiktokenCounter needs the name of a model or of an encoding, and was given neither.", {
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
  throw new PromptStrataError(
    "usage",
    `There is no encoding ${JSON.stringify(encoding)}; tiktoken has ${known.join(", ")}.${didYouMean(encoding, known)}`,
  )
}

const loaded = new Map<TiktokenEncoding, Promise<Encoder>>()

/**
 * The encoder of an encoding: loaded when it is first asked for, then one for all. It is plain memory (some 15 MB for the
 * largest), so nothing has to be freed. Throws `missing-dependency` where tiktoken's file cannot be loaded; asking again tries again.
 */
export function loadEncoder(encoding: TiktokenEncoding, source: EncodingSource = encodingSources[encoding]): Promise<Encoder> {
  const known = loaded.get(encoding)
  if (known) return known
  const loading = load(encoding, source)
  loaded.set(encoding, loading)
  loading.catch(() => loaded.delete(encoding))
  return loading
}

async function load(encoding: TiktokenEncoding, { split, load }: EncodingSource): Promise<Encoder> {
  const file = await load().catch((cause: unknown) => {
    throw new PromptStrataError(
      "missing-dependency",
      `The tokens of ${encoding} could not be loaded from the package \`tiktoken\`.`,
      {
        cause,
        hint: "Run `npm install tiktoken`, or count with `roughCounter`, which needs no file.",
      },
    )
  })
  return createEncoder({ table: createRankTable(readRanks(file.default.bpe_ranks)), split })
}
