import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { DocumentTable } from "../../../../src/memory/services/recall/documents/document-table.ts"
import { finished } from "../../../../src/memory/services/recall/documents/steps.ts"
import type { RecallDocument } from "../../../../src/memory/services/recall/recall-query.ts"
import type { SignalScore } from "../../../../src/memory/services/recall/recall-weights.ts"
import {
  answerScores,
  orderScores,
  recencyScores,
  speakerScores,
} from "../../../../src/memory/services/recall/scores/column-score.ts"
import { talkScores } from "../../../../src/memory/services/recall/scores/evidence.ts"
import { keyScores, scoreField, wholeWorth } from "../../../../src/memory/services/recall/scores/field-score.ts"
import { formScores, phraseScores } from "../../../../src/memory/services/recall/scores/wording-score.ts"
import { documentTerms } from "../../../../src/memory/services/recall/text/document-terms.ts"
import { isNearTerm } from "../../../../src/memory/services/recall/text/near-term.ts"
import { textMarks } from "../../../../src/memory/services/recall/text-marks.ts"
import { memory, nowMs } from "./documents.ts"

const vocabulary = [
  "marry",
  "marriage",
  "unmarried",
  "colour",
  "colours",
  "collar",
  "gardening",
  "gardener",
  "garden",
  "tea",
  "river",
]

interface Scene {
  readonly table: DocumentTable
  readonly documents: readonly RecallDocument[]
}

/** Documents of fewer words than `most`, or of a few more, in some sessions, of which some were removed again. */
function sceneOf(seed: number, size: number, most = 5, long = 0): Scene {
  const random = mulberry32(seed)
  const below = (end: number) => Math.floor(random() * end)
  const table = new DocumentTable()
  const documents: RecallDocument[] = []
  for (let at = 0; at < size; at++) {
    const words = Array.from(
      { length: below(most) + (long > 0 && at % 6 === 0 ? long : 0) },
      () => vocabulary[below(vocabulary.length)] ?? "",
    )
    const text = [...words, ...(below(2) === 0 ? ["tea"] : [])].join(" ") + ["?", ".", " at 5 pm.", " for 3."][below(most - 1)]
    const [session, turn] = [`s${below(Math.ceil(size / 12))}`, below(20)]
    const name = below(2) === 0 ? "ann" : "bob"
    const keys = below(3) === 0 ? { keys: { by: "m", words: [vocabulary[below(5)] ?? "", "茶"] } } : {}
    const atMs = nowMs - turn * 60_000 * ([300, 8][below(8)] ?? 1)
    const document = memory(`m${at}`, text, {
      session,
      turn,
      atMs,
      speaker: { id: name, name },
      ...keys,
    } as Partial<RecallDocument>)
    finished(table.adding(document))
    documents.push(document)
  }
  for (let at = 0; at < size / 5; at++) {
    const [gone] = documents.splice(below(documents.length), 1)
    if (gone) finished(table.removing(gone.id))
  }
  return { table, documents }
}

/** In the last two the mean text is hardly a word long, or some texts are much longer than the others. */
const scenes: readonly Scene[] = [
  ...[1, 2, 3, 4, 5, 6].map((seed) => sceneOf(seed, seed % 2 === 0 ? 110 : 25)),
  sceneOf(7, 60, 3),
  sceneOf(8, 60, 5, 80),
]

/** The result of a function of an object, made once. */
function once<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const made = new WeakMap<K, { readonly value: V }>()
  return (of) => {
    const known = made.get(of) ?? { value: make(of) }
    made.set(of, known)
    return known.value
  }
}

const termsOf = once(({ text }: RecallDocument) => documentTerms(text))
const keysOf = once(({ keys }: RecallDocument) => documentTerms("", keys?.words))
const wordsOf = (document: RecallDocument) => termsOf(document).words
const lengthOf = (document: RecallDocument) => sumOf([...wordsOf(document).values()])
const rarityOf = (total: number, found: number) => Math.log(1 + (total - found + 0.5) / (found + 0.5))
const saturated = (frequency: number, penalty: number) => (frequency * 2.2) / (frequency + penalty)
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const meanLength = once(({ documents }: Scene) => Math.max(1, sumOf(documents.map(lengthOf)) / documents.length))
/** The standard deviation of the lengths of texts with words, as a share of their mean. */
const spreadOf = once(({ documents }: Scene) => {
  const lengths = documents.map(lengthOf).filter((length) => length > 0)
  const mean = sumOf(lengths) / lengths.length
  return Math.sqrt(sumOf(lengths.map((length) => (length - mean) ** 2)) / lengths.length) / mean
})
const isMixed = (scene: Scene) => spreadOf(scene) > 0.9
const penaltyOf = (scene: Scene, document: RecallDocument) => {
  const share = Math.min(0.9, Math.max(0.4, 0.8 * spreadOf(scene)))
  return 1.2 * (1 - share + share * Math.max(isMixed(scene) ? 0 : 1, lengthOf(document) / meanLength(scene)))
}

/** The documents beside one, by the links of the table, which have tests of their own. */
function beside({ table, documents }: Scene, document: RecallDocument, way: "previous" | "next"): RecallDocument | undefined {
  const slot = table.links[way][table.slotOf(document.id) ?? -1] ?? -1
  return documents.find(({ id }) => id === table.idAt(slot))
}

/** Expects of each document the score that a plain formula gives it. */
function expectScores(
  { table, documents }: Scene,
  scores: Float64Array | ((slot: number) => number),
  plain: (document: RecallDocument) => number,
) {
  for (const document of documents) {
    const slot = table.slotOf(document.id) ?? -1
    const score = typeof scores === "function" ? scores(slot) : scores[slot]
    expect(score, `${document.id}: ${document.text}`).toBeCloseTo(plain(document), 9)
  }
}

/** Arrays for one query. */
function restarted({ table }: Scene): DocumentTable {
  table.scoreArrays.restart(table.slots)
  return table
}

describe("scores by plain formulas", () => {
  test("are compared where texts are alike in length, and where they are not", () => {
    expect(scenes.map(isMixed)).toContain(true)
    expect(scenes.map(isMixed)).toContain(false)
  })

  const asked = new Map([
    ["tea", 1],
    ["garden", 0.5],
    ["river", 2],
    ["none", 1],
    ["collar", 0],
  ])

  test.each(scenes)("own words, words of lines beside and of whole talks (%#)", (scene) => {
    const table = restarted(scene)
    const take = () => table.scoreArrays.take()
    const { bySlot, count } = table.links.talks
    const scores = { own: take(), neighbours: take(), session: new Float64Array(count) }
    scoreField(table, "words", asked, scores)
    const { documents } = scene
    const found = (term: string) => documents.filter((document) => wordsOf(document).has(term)).length
    const terms = [...asked].filter(([term, weight]) => weight > 0 && found(term) > 0)
    const own = (document: RecallDocument, term: string) => wordsOf(document).get(term) ?? 0
    expectScores(scene, scores.own, (document) =>
      sumOf(
        terms.map(
          ([term, weight]) =>
            weight * rarityOf(documents.length, found(term)) * saturated(own(document, term), penaltyOf(scene, document)),
        ),
      ),
    )
    const around = (document: RecallDocument, term: string): number => {
      const told = (line: RecallDocument | undefined, term: string) =>
        line ? Math.min(2, own(line, term)) * 0.5 ** Math.floor(Math.abs(line.atMs - document.atMs) / 3_600_000) : 0
      if (found(term) > Math.max(20, documents.length * 0.1)) return 0
      const [before, after] = [beside(scene, document, "previous"), beside(scene, document, "next")]
      const isAsked = before !== undefined && textMarks(before.text, before.atMs).question
      const fromBefore = (isAsked ? 1 : 0.5) * (before?.speaker.id === document.speaker.id ? 0.5 : 1)
      const secondBefore = before && beside(scene, before, "previous")
      const secondAfter = after && beside(scene, after, "next")
      return (
        fromBefore * told(before, term) +
        0.25 * told(secondBefore, term) +
        0.25 * told(after, term) +
        0.125 * told(secondAfter, term)
      )
    }
    expectScores(scene, scores.neighbours, (document) => {
      const tells = isMixed(scene) ? 1 : 0.5 + Math.min(1, lengthOf(document) / meanLength(scene) / 2)
      const penalty = penaltyOf(scene, document)
      return sumOf(
        terms.map(([term, weight]) => {
          const all = saturated(own(document, term) + around(document, term), penalty)
          return weight * rarityOf(documents.length, found(term)) * (all - saturated(own(document, term), penalty)) * tells
        }),
      )
    })
    const talkOf = ({ id }: RecallDocument) => bySlot[table.slotOf(id) ?? -1]
    const talks = Map.groupBy(documents, talkOf)
    const meanTalk = Math.max(1, sumOf(documents.map(lengthOf)) / count)
    expectScores(
      scene,
      (slot) => scores.session[bySlot[slot] ?? -1] ?? 0,
      (document) => {
        const members = talks.get(talkOf(document)) ?? []
        const penalty = 1.2 * (0.25 + (0.75 * sumOf(members.map(lengthOf))) / meanTalk)
        return sumOf(
          terms.map(([term, weight]) => {
            const having = [...talks.values()].filter((lines) => lines.some((line) => own(line, term) > 0)).length
            return weight * rarityOf(count, having) * saturated(sumOf(members.map((line) => own(line, term))), penalty)
          }),
        )
      },
    )
    const most = sumOf([...asked].map(([term, weight]) => weight * rarityOf(documents.length, Math.max(1, found(term)))))
    expect(wholeWorth(table.fields.words, asked, table.size)).toBeCloseTo(most, 9)
  })

  test.each(scenes)("keys, by their rarity in texts and keys together (%#)", (scene) => {
    const table = restarted(scene)
    const characters = new Map([["茶", 0.5]])
    const words = new Map([...asked, ["colour", 1]])
    const scores = keyScores(table, { words, characters })
    const worth = (field: "words" | "characters", term: string, weight: number) => {
      const of = field === "words" ? "keyWords" : "keyCharacters"
      const count = (has: (document: RecallDocument) => boolean) => scene.documents.filter(has).length
      const found = count((each) => termsOf(each)[field].has(term)) + count((each) => keysOf(each)[of].has(term))
      return weight * rarityOf(scene.documents.length, found)
    }
    expectScores(scene, scores, (document) => {
      const own = keysOf(document)
      return sumOf([
        ...[...words].map(([term, weight]) => (own.keyWords.has(term) ? worth("words", term, weight) : 0)),
        ...[...characters].map(([term, weight]) => (own.keyCharacters.has(term) ? worth("characters", term, weight) : 0)),
      ])
    })
  })

  test.each(scenes)("other forms of a word, which have enough of its pieces, or are spelt nearly so (%#)", (scene) => {
    const { documents } = scene
    const gramsOf = (text: string) => [...documentTerms(text).grams.keys()]
    const words = ["married", "gardeners", "colorful", "colours", "rivers", "collars", "marriages", "riverx"].map((text, at) => ({
      term: [...documentTerms(text).words.keys()][0] ?? "",
      grams: gramsOf(text),
      weight: 1 + at / 4,
    }))
    // The share of the pieces that a text has falls through the least one by one piece at a time.
    const longer = Array.from({ length: 12 }, (_, count) => ({
      term: `none${count}`,
      grams: [...gramsOf("gardening"), ...gramsOf("unmarried"), ...Array.from({ length: count }, (_, at) => `none${at}`)],
      weight: 1,
    }))
    const forms = [...words, ...longer]
    const matching = ({ term, grams }: (typeof forms)[number]) =>
      documents.filter((document) => {
        if (wordsOf(document).has(term)) return false
        const isForm = grams.filter((gram) => termsOf(document).grams.has(gram)).length >= Math.ceil(grams.length * 0.4)
        const isUnknown = !documents.some((other) => wordsOf(other).has(term))
        return isForm || (isUnknown && [...wordsOf(document).keys()].some((word) => isNearTerm(term, word)))
      })
    const rare = forms.filter(
      ({ term }) => documents.filter((each) => wordsOf(each).has(term)).length <= Math.max(20, documents.length * 0.01),
    )
    const found = rare.map((form) => {
      const having = matching(form)
      const known = documents.filter((document) => wordsOf(document).has(form.term)).length
      return { having, worth: form.weight * rarityOf(documents.length, having.length + known) }
    })
    expect(found.filter(({ having }) => having.length > 0).length).toBeGreaterThan(0)
    expectScores(scene, formScores(restarted(scene), forms), (document) =>
      sumOf(
        found.map(({ having, worth }) => (having.includes(document) ? worth * saturated(0.5, penaltyOf(scene, document)) : 0)),
      ),
    )
  })

  test.each(scenes)("phrases, by the rarity of their words (%#)", (scene) => {
    const { documents } = scene
    const phrases = ["garden tea", "river", "tea river colour", "none tea", "rive"]
    const found = (word: string) =>
      documents.filter((each) => [...documentTerms(word).words.keys()].every((term) => wordsOf(each).has(term))).length
    const worth = (phrase: string) => sumOf(phrase.split(" ").map((word) => rarityOf(documents.length, found(word))))
    const scores = phraseScores(restarted(scene), phrases)
    expectScores(scene, scores, ({ text }) => {
      const words = ` ${text.replace(/(?: at 5 pm| for 3)?[.?]$/, "")} `
      return sumOf(phrases.map((phrase) => (words.includes(` ${phrase} `) ? worth(phrase) : 0)))
    })
  })

  test.each(scenes)(
    "six lines on each side of the best one, the less the further, the shorter, the earlier and the longer between (%#)",
    (scene) => {
      const evidence = Float64Array.from({ length: scene.table.slots }, (_, slot) => ((slot * 7) % 10) / 20)
      for (const best of scene.documents.slice(0, 9)) {
        const table = restarted(scene)
        const slot = table.slotOf(best.id) ?? -1
        const scores = talkScores(table, slot, { evidence: (at) => evidence[at] ?? 0, weight: 0.5 })
        const shares = new Map<string, number>()
        for (const [way, first] of [["next", 1] as const, ["previous", 0.5] as const]) {
          let line = beside(scene, best, way)
          for (let lines = 0; lines < 6 && line; lines++) {
            const hours = Math.floor(Math.abs(line.atMs - best.atMs) / 3_600_000)
            shares.set(line.id, (first * 0.95 ** lines) / 2 ** hours)
            line = beside(scene, line, way)
          }
        }
        expectScores(
          scene,
          (at) => scores.get(at) ?? 0,
          (document) => {
            const share = shares.get(document.id)
            if (share === undefined) return 0
            const told = Math.min(1, lengthOf(document) / meanLength(scene))
            return Math.max(0, (evidence[slot] ?? 0) * share * told - (evidence[table.slotOf(document.id) ?? -1] ?? 0) / 0.5)
          },
        )
      }
    },
  )

  const plan = { speakerIds: new Set<string>(), asked: { time: false, number: false }, times: [], order: undefined }
  /** The score of a property: how well each document has it, times its rarity. */
  const expectProperty = (scene: Scene, { at }: SignalScore, match: (document: RecallDocument) => number) => {
    const found = scene.documents.filter((document) => match(document) >= 0.5).length
    expectScores(scene, at, (document) => match(document) * rarityOf(scene.documents.length, found))
  }

  test.each(scenes)("speakers, and times and numbers that are asked for, by their rarity (%#)", (scene) => {
    for (const ids of [["ann"], ["bob", "none"], ["none"], []]) {
      const scores = speakerScores(restarted(scene), { ...plan, speakerIds: new Set(ids) } as never)
      expectProperty(scene, scores, ({ speaker }) => (ids.includes(speaker.id) ? 1 : 0))
    }
    for (const [time, number] of [
      [true, false],
      [false, true],
      [true, true],
    ] as const) {
      const scores = answerScores(restarted(scene), { ...plan, asked: { time, number } } as never)
      expectProperty(scene, scores, ({ text, atMs }) => {
        const marks = textMarks(text, atMs)
        return (time && marks.time) || (number && marks.number) ? 1 : 0
      })
    }
  })

  test.each(scenes)(
    "the order in time of what matches about as well as the best: each time gets half of the one before (%#)",
    (scene) => {
      const { documents } = scene
      for (const order of ["newest", "oldest"] as const)
        for (const worthAt of [
          () => 0,
          (slot: number) => (slot * 7) % 11,
          (slot: number) => 1 / (7 + slot),
          (slot: number) => slot,
        ]) {
          const table = restarted(scene)
          const worthOf = (document: RecallDocument) => worthAt(table.slotOf(document.id) ?? 0)
          const worth = new Float64Array(table.slots).fill(99)
          for (const document of documents) {
            worth[table.slotOf(document.id) ?? -1] = worthOf(document)
            table.scoreArrays.touch(table.slotOf(document.id) ?? -1)
          }
          const best = Math.max(...documents.map(worthOf))
          const contending = documents.filter((document) => best > 0 && worthOf(document) >= best / 2)
          const times = [...new Set(contending.map(({ atMs }) => atMs))].sort((a, b) => (order === "newest" ? b - a : a - b))
          expectScores(
            scene,
            orderScores(table, { ...plan, order } as never, (slot) => worth[slot] ?? 0),
            (document) => (contending.includes(document) ? worthOf(document) / 2 ** times.indexOf(document.atMs) : 0),
          )
        }
    },
  )

  test.each(scenes)("the days since a memory came up last, by its stability, and none after 300 times that (%#)", (scene) => {
    for (const days of [-1, 0, 1, 299, 300, 301, 5_000]) {
      const now = nowMs + days * 86_400_000
      expectScores(scene, recencyScores(restarted(scene), now).at, ({ atMs }) => {
        const passed = (now - atMs) / 86_400_000
        return passed > 300 ? 0 : 0.9 ** Math.max(0, passed)
      })
    }
  })
})
