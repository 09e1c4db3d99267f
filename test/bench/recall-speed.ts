import { mulberry32 } from "../../src/core/mulberry.ts"
import { RecallIndex } from "../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument } from "../../src/memory/services/recall/recall-query.ts"
import { longConversation } from "../support/long-conversations.ts"
import type { Row } from "./bench.ts"
import { formatMs, formatRatio } from "./measure.ts"
import { fts5Searcher } from "./recall-baselines.ts"

const words = 5_000
const nowMs = Date.UTC(2024, 6, 1)

/** Lines of made-up talk, each with a few words of a large vocabulary, the common ones often. */
export function manyLines(count: number): { readonly lines: RecallDocument[]; readonly questions: string[] } {
  const random = mulberry32(7)
  const word = () => `w${Math.floor(words * random() ** 3).toString(36)}rd`
  const lines: RecallDocument[] = []
  const questions: string[] = []
  for (let talk = 0; lines.length < count; talk++) {
    const conversation = longConversation(random, talk % 2 === 0 ? "development" : "held-out")
    const renamed = (line: RecallDocument) => ({
      ...line,
      id: `${talk}:${line.id}`,
      session: `${talk}:${line.session}`,
      text: `${line.text} ${word()} ${word()} ${word()}`,
    })
    lines.push(...conversation.lines.map(renamed))
    questions.push(...conversation.questions.map(({ text }) => `${text} ${word()}`))
  }
  return { lines: lines.slice(0, count), questions: questions.slice(0, 500) }
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

/** Time of questions and of building for a number of memories; `ratio` is that of the p95 to SQLite's full-text search of the same words. */
export function measureSpeed(count: number): { readonly row: Row; readonly ratio: number } {
  const { lines, questions } = manyLines(count)
  const index = new RecallIndex()
  const buildMs = elapsedMs(() => {
    for (const line of lines) index.replace(line)
  })
  const ask = (text: string) => index.rank({ text, nowMs, limit: 50, timeZone: "Europe/London" })
  for (const text of questions.slice(0, 200)) ask(text)
  const searchWords = fts5Searcher("unicode61").make(lines, nowMs)
  for (const text of questions.slice(0, 200)) searchWords(text)
  const pairs = questions.map((text) => [elapsedMs(() => ask(text), 3), elapsedMs(() => searchWords(text), 3)])
  const [times = [], floors = []] = [0, 1].map((side) => pairs.map((pair) => pair[side] ?? Number.NaN))
  const [p95Ms, floorMs] = [percentile(times, 0.95), percentile(floors, 0.95)]
  const row = {
    memories: String(count),
    "p50 per question": formatMs(percentile(times, 0.5)),
    "p95 per question": formatMs(p95Ms),
    "p95 of SQLite FTS5": formatMs(floorMs),
    ratio: formatRatio(p95Ms, floorMs),
    "100,000 characters": formatMs(elapsedMs(() => ask(questions.join(" ").repeat(10).slice(0, 100_000)), 3)),
    "add one": `${((1000 * buildMs) / count).toFixed(0)} µs`,
    "remove and add 100": formatMs(elapsedMs(() => replaceAll(index, lines.slice(0, 100)))),
  }
  return { row, ratio: p95Ms / floorMs }
}

function replaceAll(index: RecallIndex, lines: readonly RecallDocument[]): void {
  for (const line of lines) index.replace(line)
}

/** Wall time, the best of three where it matters that nothing else ran. */
function elapsedMs(work: () => unknown, tries = 1): number {
  const times = Array.from({ length: tries }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}
