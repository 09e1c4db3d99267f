import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { cardPersona } from "../../src/node/cards/card-persona.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { cardOf } from "../../src/prompt/layers/card/card.ts"
import { knownTexts } from "../../src/prompt/layers/lorebook/key-index.ts"
import { createKeyMatcher } from "../../src/prompt/layers/lorebook/key-matcher.ts"
import type { LoreEntry } from "../../src/prompt/layers/lorebook/lorebook.ts"
import { compilePattern } from "../../src/prompt/layers/lorebook/pattern.ts"
import { createLoreScanner } from "../../src/prompt/layers/lorebook/scan.ts"
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
  const patterns = await patternTimes((at) => `(?:the )?dragon${at}s?\\b|wyrm ${at}`)
  const occurring = await patternTimes((at) => `\\bdragon of (?:older|old|v${at})\\b`)
  const endless = await patternTimes((at) => `\\bdragon\\s+(?:of)?\\s*(?:older|v${at})\\b`)
  const open = await patternTimes((at) => `\\bdragon\\w*\\s+of\\s+\\w+\\s+(?:day|v${at}|the lazy)`)
  const turn = await turnsWithLore(entries.slice(0, 1_000), keys)
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
      { what: "300 patterns in two messages of 10,000 characters", CPU: formatMs(patterns.own), "beside one pass": "" },
      { what: "`RegExp.test` of the same patterns", CPU: formatMs(patterns.host), "beside one pass": "" },
      { what: "300 patterns that occur there", CPU: formatMs(occurring.own), "beside one pass": "" },
      { what: "`RegExp.test` of those", CPU: formatMs(occurring.host), "beside one pass": "" },
      { what: "300 patterns with endless parts that a text cannot have", CPU: formatMs(endless.own), "beside one pass": "" },
      { what: "`RegExp.test` of those", CPU: formatMs(endless.host), "beside one pass": "" },
      {
        what: "300 patterns with endless parts, of which a text has every piece",
        CPU: formatMs(open.first),
        "beside one pass": "",
      },
      { what: "the same in a later turn, which knows the messages", CPU: formatMs(open.known), "beside one pass": "" },
      { what: "`RegExp.test` of those", CPU: formatMs(open.host), "beside one pass": "" },
      { what: "a turn with a book of 1,000 entries", CPU: formatMs(turn.withLore), "beside one pass": "" },
      { what: "what the book adds to the turn (wanted: at most 2 ms)", CPU: formatMs(turn.added), "beside one pass": "" },
    ],
    gates: [
      {
        name: "a scan finds what `includes` finds",
        ok: found === expected && found > 20,
        detail: `${found} of ${expected} entries`,
      },
      {
        name: "a scan takes at most a twentieth of the CPU of one `includes` for each key and message",
        ok: one * 20 <= other,
        detail: formatRatio(other, one),
      },
      {
        name: "patterns take at most five times the CPU of `RegExp.test` (C26)",
        ok: patterns.own <= 5 * patterns.host,
        detail: formatRatio(patterns.own, patterns.host),
      },
      {
        name: "and so do patterns that occur (C32)",
        ok: occurring.own <= 5 * occurring.host,
        detail: formatRatio(occurring.own, occurring.host),
      },
      {
        name: "and so do patterns with endless parts of which a text lacks a piece (C26)",
        ok: endless.own <= 5 * endless.host,
        detail: formatRatio(endless.own, endless.host),
      },
      {
        name: "and so does the first search for patterns with endless parts of which a text has every piece (C32)",
        ok: open.first <= 5 * open.host,
        detail: formatRatio(open.first, open.host),
      },
      {
        name: "and any patterns in messages that an earlier turn searched (C36)",
        ok: open.known <= 5 * open.host,
        detail: formatRatio(open.known, open.host),
      },
      {
        name: "a book of 1,000 entries adds at most the CPU of two plain turns",
        ok: turn.called > 0 && turn.added <= turn.plain * 2,
        detail: `${formatRatio(turn.withLore, turn.plain)}, ${turn.called} entries called in the last turn`,
      },
      {
        name: "the work grows with the text and the matches alone",
        ok: work.every((steps, at) => steps <= (work[0] ?? 0) * 2 ** at * 1.01),
        detail: work.join(", "),
      },
    ],
  }
}

/** CPU of testing patterns with our own search and with the host's, and of a scan whose texts are known. */
async function patternTimes(sourceOf: (at: number) => string) {
  const sources = Array.from({ length: 300 }, (_, at) => sourceOf(at))
  const work = { left: Number.POSITIVE_INFINITY, leftOut: new Set<number>() }
  const texts = ["a", "b"].map((end) => "The quick brown fox jumps over the lazy dog and a dragon of old. ".repeat(154) + end)
  const own = sources.map((source) => compilePattern(source, "i"))
  const host = sources.map((source) => new RegExp(source, "i"))
  const keys = sources.map((source) => ({ source, flags: "i" }))
  const entries = keys.map((key, at): LoreEntry => ({ id: `${at}`, keys: [key], order: 1, text: { text: "x", trust: "author" } }))
  const scanner = createLoreScanner({ entries })
  const turn = { messages: texts.map((text) => ({ text })), random: () => 0, known: knownTexts(), patternWork: work.left }
  scanner.scan(turn)
  const [ownTimes, hostTimes, knownTimes, firstTimes]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let i = 0; i < runs; i++) {
    ownTimes.push(await cpuMs(() => own.flatMap((test) => texts.map((text) => typeof test === "function" && test(text, work)))))
    knownTimes.push(await cpuMs(() => scanner.scan(turn)))
    firstTimes.push(await cpuMs(() => scanner.scan({ ...turn, known: knownTexts() })))
    hostTimes.push(await cpuMs(() => host.flatMap((test) => texts.map((text) => test.test(text)))))
  }
  return { own: median(ownTimes), host: median(hostTimes), known: median(knownTimes), first: median(firstTimes) }
}

/** CPU of a turn with a card, in a conversation of twenty messages, with and without its lorebook. */
async function turnsWithLore(entries: readonly LoreEntry[], keys: readonly string[]) {
  const [plain, withLore]: [number[], number[]] = [[], []]
  let called = 0
  const json = { name: "Mei", description: "Mei keeps a shop.", personality: "Calm." }
  const card = cardOf(json)
  if (typeof card === "string") throw new Error(card)
  for (let i = 0; i < runs; i++) {
    for (const [book, times] of [
      [undefined, plain],
      [{ entries }, withLore],
    ] as const) {
      const surroundings = { locale: "en", userName: "Ann", clock: { nowMs: () => 0 } }
      const { text, plugin } = cardPersona({ ...card, book }, surroundings)
      const profile = resolveProfile({ dialect: "tavern", persona: text, loop: { mode: "chat" } })
      const session = createAgent({ profile, model: saying("Yes, indeed."), plugins: [plugin] }).session("bench")
      const say = (at: number) => session.send(`About ${keys[at * 40] ?? ""} and ${keys[at * 52 + 3] ?? ""}.`).result
      for (let turn = 0; turn < 10; turn++) await say(turn)
      times.push(
        await cpuMs(async () => {
          for (let turn = 10; turn < 20; turn++) await say(turn)
        }),
      )
      const { trace } = await say(20)
      called = trace.steps[0]?.assembly.lore?.length ?? 0
    }
  }
  const [without, both] = [median(plain) / 10, median(withLore) / 10]
  return { plain: without, withLore: both, added: both - without, called }
}

function saying(text: string): LanguageModel {
  return {
    id: "bench",
    capabilities: { developerRole: false, tools: false },
    async *stream() {
      yield { type: "text-delta", delta: text }
      yield { type: "finish", reason: "stop" }
    },
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
