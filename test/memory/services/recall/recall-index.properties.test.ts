import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { partsOf, SectionReader } from "../../../../src/memory/services/recall/documents/sections.ts"
import { finished } from "../../../../src/memory/services/recall/documents/steps.ts"
import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument, RecallQuery } from "../../../../src/memory/services/recall/recall-query.ts"
import { amount, runs } from "../../../support/size.ts"
import { dayMs, indexOf, nowMs } from "./documents.ts"

const word = fc.constantFrom(
  "tea",
  "race",
  "run",
  "ran",
  "museum",
  "Ann",
  "Bob",
  "yesterday",
  "the",
  "photograph",
  "photo",
  "three",
  "昨天",
  "图书馆",
  "下雨",
  "?",
  ".",
  '"run the"',
)
const text = fc.oneof({ weight: 9, arbitrary: fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")) }, fc.string())
const vectors = fc.option(
  fc.record({
    model: fc.constantFrom("m", "n"),
    values: fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 }).map((values) => Float32Array.from(values)),
  }),
  { nil: undefined },
)

/** A document for an id. */
const documentOf = (id: fc.Arbitrary<string>): fc.Arbitrary<RecallDocument> =>
  fc
    .record({
      id,
      text,
      day: fc.nat(400),
      speaker: fc.constantFrom("Ann", "Bob", "王"),
      session: fc.constantFrom("s", "t", "u"),
      turn: fc.nat(9),
      importance: fc.nat(10),
      vector: vectors,
      keys: fc.option(fc.record({ words: fc.array(word, { maxLength: 3 }) }), { nil: undefined }),
      updates: fc.option(fc.array(fc.string({ minLength: 1, maxLength: 1 }), { maxLength: 2 }), { nil: undefined }),
    })
    .map(({ day, speaker, vector, ...rest }) => ({
      ...rest,
      atMs: nowMs - day * dayMs,
      speaker: { id: speaker.toLowerCase(), name: speaker },
      ...(vector !== undefined && { vector }),
    }))

const documents = fc.uniqueArray(documentOf(fc.string({ minLength: 1, maxLength: 3 })), {
  selector: ({ id }) => id,
  maxLength: 25,
})
const query: fc.Arbitrary<RecallQuery> = fc.record({ text, vector: vectors }).map(({ text, vector }) => ({
  text,
  nowMs,
  limit: 20,
  askedBy: "ann",
  ...(vector !== undefined && { vector }),
}))

/** An index that is read back from the copy of another one. Each document is made of JSON when it is needed. */
function copied(index: RecallIndex, kept: ReadonlyMap<string, RecallDocument>): RecallIndex {
  const reader = new SectionReader([...partsOf(index.sections())])
  const steps = RecallIndex.restored(reader, (id) => JSON.parse(JSON.stringify({ ...kept.get(id), vector: undefined })))
  const read = finished(steps)
  for (const [id, { vector }] of kept) if (vector) read.setVector(id, vector)
  expect(read.ids()).toEqual(index.ids())
  return read
}

/** All of a document that its terms and its place are made of. */
function placeAndWords({ text, session, turn, atMs, speaker, keys }: RecallDocument): string {
  return JSON.stringify([text, session, turn, atMs, speaker, keys?.words, keys?.dates])
}

describe("recall is the same", () => {
  test("in whatever order the documents were added", () => {
    fc.assert(
      fc.property(documents, query, fc.infiniteStream(fc.nat()), (documents, query, random) => {
        const shuffled = documents
          .map((document) => ({ document, at: random.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ document }) => document)
        expect(indexOf(shuffled).rank(query)).toEqual(indexOf(documents).rank(query))
      }),
      { numRuns: runs(300) },
    )
  })

  test("after any additions, changes, uses, removals and copies as from nothing", () => {
    const id = fc.integer({ min: 0, max: 30 }).map(String)
    const used = fc.record({ id, importance: fc.nat(10), recalledAtMs: fc.nat(nowMs), stability: fc.nat(9), vector: vectors })
    const change = fc.oneof(documentOf(id), documentOf(id), id, used, fc.constant("copy"))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300, size: "max" }), query, (changes, query) => {
        let index = new RecallIndex()
        const kept = new Map<string, RecallDocument>()
        for (const change of changes) {
          if (change === "copy") index = copied(index, kept)
          else if (typeof change === "string") {
            expect(index.remove(change)).toBe(kept.delete(change))
            index.rank(query)
          } else if ("text" in change) {
            const before = kept.get(change.id)
            const isNew = before === undefined || placeAndWords(before) !== placeAndWords(change)
            expect(index.replace(change)).toBe(isNew)
            kept.set(change.id, change)
          } else {
            const before = kept.get(change.id)
            if (before === undefined) continue
            const after = { ...before, ...change }
            expect(index.replace(after)).toBe(false)
            kept.set(change.id, after)
          }
        }
        expect(index.size).toBe(kept.size)
        expect(index.rank(query)).toEqual(indexOf([...kept.values()]).rank(query))
      }),
      { numRuns: runs(60) },
    )
  })

  test("M23 with texts of several passages, in whatever order they came, after copies and removals", () => {
    const long = fc.tuple(documentOf(fc.integer({ min: 0, max: 5 }).map(String)), fc.nat(4_000)).map(([document, times]) => {
      return { ...document, text: `${document.text}\n`.repeat(1 + times) }
    })
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 8 }), documents, query, (long, documents, query) => {
        const kept = new Map([...documents, ...long].map((document) => [document.id, document]))
        let index = indexOf([...long, ...documents, ...long])
        for (const id of [...kept.keys()].slice(0, 3)) {
          expect(index.remove(id)).toBe(kept.delete(id))
          index = copied(index, kept)
        }
        expect(index.size).toBe(kept.size)
        const hits = index.rank(query)
        expect(hits).toEqual(indexOf([...kept.values()].reverse()).rank(query))
        expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length)
      }),
      { numRuns: amount("PASSAGE_INDEXES") },
    )
  })

  test("after the documents were JSON", () => {
    fc.assert(
      fc.property(documents, query, (documents, { vector: _, ...query }) => {
        const plain = documents.map(({ vector: _, ...document }) => document)
        expect(indexOf(JSON.parse(JSON.stringify(plain))).rank(query)).toEqual(indexOf(plain).rank(query))
      }),
    )
  })

  test("and a smaller limit is the beginning of a larger one", () => {
    fc.assert(
      fc.property(documents, query, fc.nat(25), (documents, query, limit) => {
        const index = indexOf(documents)
        expect(index.rank({ ...query, limit })).toEqual(index.rank({ ...query, limit: 25 }).slice(0, limit))
      }),
    )
  })
})
