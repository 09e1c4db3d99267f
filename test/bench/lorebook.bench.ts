import { mulberry32 } from "../../src/core/mulberry.ts"
import { createKeyMatcher } from "../../src/layers/lorebook/key-matcher.ts"
import type { LoreEntry } from "../../src/layers/lorebook/lorebook.ts"
import { createLoreScanner } from "../../src/layers/lorebook/scan.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median } from "./measure.ts"

const entryCount = 10_000
const keysOfEntry = 4
const messageCount = 20
const messageLength = 400
const runs = 15

/** Searching a chat for the keys of a large lorebook, beside one `includes` for each key (C19). The gates count work, not time. */
export async function run(): Promise<BenchResult> {
  const random = mulberry32(19)
  const word = () => Array.from({ length: 4 + Math.floor(random() * 8) }, () => letters[Math.floor(random() * 26)]).join("")
  const entries = Array.from({ length: entryCount }, (_, at): LoreEntry => {
    const keys = Array.from({ length: keysOfEntry }, word)
    return { id: `${at}`, keys, order: at % 100, text: { text: `About ${keys[0]}.`, trust: "author" } }
  })
  const keys = entries.flatMap((entry) => entry.keys as readonly string[])
  const messages = Array.from({ length: messageCount }, (_, at) => ({ text: messageOf(keys, at, word) }))
  const built: number[] = []
  let scanner = createLoreScanner({ entries })
  for (let i = 0; i < 3; i++)
    built.push(
      await cpuMs(() => {
        scanner = createLoreScanner({ entries, scanDepth: messageCount })
      }),
    )
  const scanned: number[] = []
  const included: number[] = []
  let found = 0
  let expected = 0
  for (let i = 0; i < runs; i++) {
    scanned.push(await cpuMs(() => (found = scanner.scan({ messages, random }).entries.length)))
    included.push(await cpuMs(() => (expected = includesAll(entries, messages))))
  }
  const [one, other] = [median(scanned), median(included)]
  const work = [1, 2, 4].map((times) =>
    stepsIn(
      keys,
      messages
        .map(({ text }) => text)
        .join(" ")
        .repeat(times),
    ),
  )
  return {
    title: `Searching ${messageCount} messages of ${messageLength} characters for ${keys.length} keys of ${entryCount} entries (${runs} times)`,
    rows: [
      { what: "building the matcher, once for each book", CPU: formatMs(median(built)), "beside one pass": "" },
      { what: "one scan of the chat", CPU: formatMs(one), "beside one pass": formatRatio(one, one) },
      { what: "one `includes` for each key and message", CPU: formatMs(other), "beside one pass": formatRatio(other, one) },
    ],
    gates: [
      {
        name: "a scan finds what `includes` finds",
        ok: found === expected && found > 20,
        detail: `${found} of ${expected} entries`,
      },
      {
        name: "the work grows with the text and the matches alone",
        ok: work.every((steps, at) => steps <= (work[0] ?? 0) * 2 ** at * 1.01),
        detail: work.join(", "),
      },
    ],
  }
}

const letters = "abcdefghijklmnopqrstuvwxyz"

/** Words, of which two of each message are keys. */
function messageOf(keys: readonly string[], at: number, word: () => string): string {
  let text = `${keys[at * 1_931] ?? ""} and ${keys[at * 1_409 + 7] ?? ""}`
  while (text.length < messageLength) text += ` ${word().toUpperCase()}`
  return text.slice(0, messageLength)
}

function includesAll(entries: readonly LoreEntry[], messages: readonly { readonly text: string }[]): number {
  const texts = messages.map(({ text }) => text.toLowerCase())
  return entries.filter(({ keys }) => keys.some((key) => texts.some((text) => text.includes(key as string)))).length
}

/** The characters that the matcher reads and the matches that it tells of. */
function stepsIn(keys: readonly string[], text: string): number {
  let steps = 0
  const counted = {
    length: text.length,
    charCodeAt(at: number) {
      steps++
      return text.charCodeAt(at)
    },
  }
  createKeyMatcher([...new Set(keys)])(counted as unknown as string, () => steps++)
  return steps
}
