/**
 * How much the tests do: `npm test` is quick, in `.ci/run` it is ci, `npm run test:long` is long; `npm run test:soak`
 * repeats soak runs with other seeds.
 */
export const sizes = ["quick", "ci", "long", "soak"] as const
export type Size = (typeof sizes)[number]

/** The size of this run, from `TEST_SIZE`. */
export const size = sizeNamed(process.env.TEST_SIZE || "quick")

/** True where a test may work for many seconds on one case. */
export const isLong = size === "long" || size === "soak"

function sizeNamed(name: string): Size {
  const found = sizes.find((known) => known === name)
  if (found === undefined) throw new Error(`TEST_SIZE is ${JSON.stringify(name)}; expected one of ${sizes.join(", ")}.`)
  return found
}

/** Added to the seed of every test that draws its cases, from `TEST_SEED`: another number makes other cases. */
const shift = Number(process.env.TEST_SEED || 0)

/** The seed of a test whose own seed is `own`. */
export function seedOf(own: number): number {
  return own + shift
}

/**
 * A test's number of runs: all `long` of them in a long run, a twentieth of them in a quick run and a tenth in that of `.ci/run`, each
 * no fewer than 20, and five times as many in a soak.
 */
export function runs(long: number, at: Size = size): number {
  if (at === "quick") return Math.min(long, Math.max(20, Math.ceil(long / 20)))
  if (at === "ci") return Math.min(long, Math.max(20, Math.ceil(long / 10)))
  return at === "long" ? long : long * 5
}

/** How much is done in each size. */
export type Amounts = Readonly<Record<Size, number>>

/** The amounts that tests choose by name; an environment variable of the same name overrides each. */
export const amounts = {
  /** Turns of a model gone mad. */
  MAD_TURNS: { quick: 250, ci: 800, long: 10_000, soak: 50_000 },
  /** Turns in front of a server that misbehaves. */
  MISBEHAVING_TURNS: { quick: 400, ci: 600, long: 10_000, soak: 50_000 },
  /** Turns of which no background prompt may hold what was recalled (T35). */
  SIMULATED_TURNS: { quick: 60, ci: 200, long: 1_000, soak: 5_000 },
  /** Conversations in memory of sends, heard words, second thoughts, aborts and crashes in any order. */
  INTERLEAVINGS: { quick: 100, ci: 300, long: 10_000, soak: 50_000 },
  /** The same over each store that keeps them. */
  STORED_INTERLEAVINGS: { quick: 8, ci: 12, long: 1_000, soak: 5_000 },
  /** Requests that are edited again and again, each compared with one that nothing went before. */
  EDIT_SCRIPTS: { quick: 60, ci: 72, long: 10_000, soak: 100_000 },
  /** Random stores of memories with long texts, of which the first hits of a question are compared with all hits. */
  RANKED_STORES: { quick: 4, ci: 6, long: 60, soak: 300 },
  /** Random indexes of texts of several passages. */
  PASSAGE_INDEXES: { quick: 3, ci: 4, long: 15, soak: 75 },
  /** Of eleven wrong values, those that are tried at each place of large data. */
  WRONG_VALUES: { quick: 3, ci: 4, long: 11, soak: 12 },
  /** Memories that are indexed in slices. */
  SLICED_MEMORIES: { quick: 5_000, ci: 5_500, long: 20_000, soak: 50_000 },
  /** Random reads across keys of a store. */
  STORE_READS: { quick: 200, ci: 1_000, long: 5_000, soak: 100_000 },
  /** Processes killed while they write into the embedded store. */
  STORE_KILL_ROUNDS: { quick: 1, ci: 2, long: 20, soak: 200 },
  /** Turns of each process that writes into the embedded store. */
  SQLITE_TURNS: { quick: 10, ci: 14, long: 100, soak: 2_000 },
  /** Processes killed while they write into PostgreSQL. */
  POSTGRES_KILL_ROUNDS: { quick: 1, ci: 2, long: 5, soak: 200 },
  /** Turns of each process that writes into PostgreSQL. */
  POSTGRES_TURNS: { quick: 8, ci: 12, long: 100, soak: 2_000 },
  /** Reminders of as many people that are due at once. */
  DUE_WAKES: { quick: 1_000, ci: 1_500, long: 10_000, soak: 20_000 },
  /** Bots killed while they answer. */
  BOT_KILLS: { quick: 8, ci: 10, long: 200, soak: 1_000 },
  /** Processes killed while they write into a workspace. */
  KILL_ROUNDS: { quick: 2, ci: 6, long: 100, soak: 1_000 },
  /** Tries while folders and files are swapped for links. */
  SWAP_TRIES: { quick: 400, ci: 600, long: 3_000, soak: 100_000 },
  /** Reads while a file outside gets and loses a second name in the workspace. */
  LINK_TRIES: { quick: 300, ci: 600, long: 30_000, soak: 300_000 },
  /** Edits of one workspace file by each of several processes. */
  WORKSPACE_EDITS: { quick: 8, ci: 20, long: 250, soak: 1_000 },
  /** Entries that each of several processes adds to one schedule, and approvals to one file. */
  SCHEDULE_ENTRIES: { quick: 5, ci: 10, long: 25, soak: 200 },
  /** Turns of a process whose heap, files and handles may not grow; a quick run leaves it out. */
  LIFETIME_TURNS: { quick: 200, ci: 1_000, long: 2_000, soak: 200_000 },
  /** Cards that are damaged by chance. */
  DAMAGED_CARDS: { quick: 1_000, ci: 1_500, long: 20_000, soak: 100_000 },
  /** Files that are damaged by chance, of all kinds together. */
  DAMAGED_FILES: { quick: 150, ci: 250, long: 10_000, soak: 50_000 },
} as const satisfies Readonly<Record<string, Amounts>>

/** How much of `name` this run does. */
export function amount(name: keyof typeof amounts): number {
  const given = process.env[name]
  if (!given) return amounts[name][size]
  const number = Number(given)
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`${name} is ${JSON.stringify(given)}; expected a whole number above 0.`)
  return number
}
