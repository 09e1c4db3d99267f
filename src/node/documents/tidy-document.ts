import { messageOf } from "../../core/errors.ts"
import type { DocumentMemory } from "../../memory/services/background/document-memory.ts"
import type { Confirm } from "../../prompt/tools/tool.ts"
import { lineDiff } from "../workspace/line-diff.ts"
import type { LearnedFolder, OpenDocuments } from "./learned-folder.ts"
import { changeLines, daysOf, documentLines, listEntry, withoutDays } from "./learned-lines.ts"
import { type LearnedRecord, lineHash, type WaitingTidy, type WrittenLine, withLine } from "./learned-record.ts"
import { pathOf } from "./people.ts"

/** A document is tidied again when background work has written so many more lines. */
const linesBetween = 10

interface TidySettings {
  readonly nearLimitShare: number
  share(text: string): number
  confirm(): Confirm | undefined
  readonly warn: (message: string) => void
  /** Aborts when nobody may be asked any more. */
  readonly signal: AbortSignal
}

/** The part of a {@link DocumentMemory} that tidies. Fields about the user are never merged, because each has one line that is kept up to date. */
export function documentTidier(place: LearnedFolder, settings: TidySettings): Pick<DocumentMemory, "crowded" | "tidy"> {
  const asked = new Set<string>()
  const ask = (waiting: WaitingTidy, confirm: Confirm): void => {
    if (asked.has(waiting.path)) return
    asked.add(waiting.path)
    void askFirst(place, waiting, { confirm, signal: settings.signal, warn: settings.warn })
      .catch((error: unknown) => {
        if (!settings.signal.aborted) settings.warn(`${waiting.path} was not tidied: ${messageOf(error)}`)
      })
      .finally(() => asked.delete(waiting.path))
  }
  return {
    async crowded(key, { signal }) {
      const path = pathOf("memory", key)
      return place.locked(signal, async ({ record, read }) => {
        const waiting = record.waiting.find((each) => each.path === path)
        const confirm = settings.confirm()
        // A process that ended before anybody answered asked in vain.
        if (waiting && confirm) ask(waiting, confirm)
        const text = await read(path)
        if (waiting || settings.share(text) <= settings.nearLimitShare) return undefined
        const lines = tidyLines(text, record, path)
        const before = record.tidied[path]
        if (lines.length < 2 || (before !== undefined && lines.length < before + linesBetween)) return undefined
        return { path, lines: lines.map((written) => ({ written, text: withoutDays(written) })) }
      })
    },
    tidy: ({ path, lines }, merges, { by, expectWanted, signal }) =>
      place.create(signal, async (open) => {
        await expectWanted()
        const named = merges.map(({ lines: numbers, text }) => {
          const from = numbers.flatMap((number) => lines[number - 1]?.written ?? [])
          return { from, into: listEntry(text, daysText(from)) }
        })
        const text = await open.read(path)
        await open.save({ ...open.record, tidied: { ...open.record.tidied, [path]: tidyLines(text, open.record, path).length } })
        const waiting: WaitingTidy = { path, by, merges: named }
        if (named.length === 0 || merged(text, open.record, waiting).text === text) return { status: "stale" }
        const confirm = settings.confirm()
        if (confirm === undefined) return { status: "changed", edit: await apply(open, waiting) }
        await open.save({ ...open.record, waiting: [...open.record.waiting.filter((each) => each.path !== path), waiting] })
        ask(waiting, confirm)
        return { status: "waits" }
      }),
  }
}

/** Asks about a waiting change, for as long as it takes, and then makes it or drops it. One that fits no line any more is dropped unasked. */
async function askFirst(
  place: LearnedFolder,
  waiting: WaitingTidy,
  { confirm, signal, warn }: Pick<TidySettings, "signal" | "warn"> & { readonly confirm: Confirm },
): Promise<void> {
  const { path } = waiting
  const now = await place.locked(signal, async ({ record, read }) => {
    const text = await read(path)
    const made = merged(text, record, waiting)
    return { ...made, diff: lineDiff(text, made.text) }
  })
  const { lines = 0, written = [], diff = "" } = now ?? {}
  if (written.length === 0) warn(`${path} was not tidied: its lines have changed since the proposal, which is dropped.`)
  const request = { tool: "tidy", summary: `tidy ${path} (${lines} lines become ${written.length})`, detail: diff }
  const isAllowed = written.length > 0 && (await confirm(request, signal))
  if (signal.aborted) return
  await place.locked(signal, async (open) => {
    const isSame = (each: WaitingTidy): boolean => JSON.stringify(each) === JSON.stringify(waiting)
    // Dropped meanwhile, because a line of it was forgotten.
    if (!open.record.waiting.some(isSame)) return
    if (isAllowed) await apply(open, waiting)
    await open.save({ ...open.record, waiting: open.record.waiting.filter((each) => !isSame(each)) })
  })
}

/** Makes the merges whose lines all still stand in the document as they were. */
async function apply(open: OpenDocuments, waiting: WaitingTidy): Promise<string | undefined> {
  const { path, by } = waiting
  const { written } = merged(await open.read(path), open.record, waiting)
  let { record } = open
  for (const line of written) record = withLine(record, line)
  const count = record.tidied[path] ?? 0
  const fewer = waiting.merges.reduce((sum, { from }) => sum + from.length - 1, 0)
  await open.save({ ...record, tidied: { ...record.tidied, [path]: Math.max(0, count - fewer) } })
  return open.edit(path, by, (text) => merged(text, record, waiting).text)
}

/** A document with the merges whose lines all stand in it, the lines that they wrote, and the number of those that became them. */
function merged(text: string, record: LearnedRecord, { path, merges }: WaitingTidy) {
  const standing = new Set(tidyLines(text, record, path))
  const written: WrittenLine[] = []
  let [result, lines] = [text, 0]
  for (const { from, into } of merges) {
    if (!from.every((line) => standing.has(line))) continue
    const hashes = new Set(from.map(lineHash))
    const origins = record.lines.flatMap((line) => (line.path === path && hashes.has(line.hash) ? line.origins : []))
    let isFirst = true
    result = changeLines(result, (line) => {
      if (!hashes.has(lineHash(line))) return line
      if (!isFirst) return undefined
      isFirst = false
      return into
    })
    written.push({ path, hash: lineHash(into), origins })
    lines += from.length
  }
  return { text: result, written, lines }
}

/** The lines of a document that background work wrote and nobody changed, without fields. */
function tidyLines(text: string, record: LearnedRecord, path: string): readonly string[] {
  const own = new Set(record.lines.flatMap((line) => (line.path === path && line.field === undefined ? [line.hash] : [])))
  return documentLines(text).filter((line) => own.has(lineHash(line)))
}

/** The days of several lines, in their order; of more than four the first and the last. */
function daysText(lines: readonly string[]): string {
  const days = [...new Set(lines.flatMap(daysOf))].sort()
  if (days.length === 0) return ""
  return days.length > 4 ? `${days[0]} – ${days.at(-1)}: ` : `${days.join(", ")}: `
}
