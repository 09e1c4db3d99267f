import { PromptStrataError } from "../../core/errors.ts"
import { createEncoder, type Encoder } from "./encoder.ts"
import { type EncodingSource, encodingSources, type TiktokenEncoding } from "./encodings.ts"
import { createRankTable } from "./rank-table.ts"
import { readRanks } from "./read-ranks.ts"

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
