import { describe, expect, test } from "vitest"
import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import type { RecallHit } from "../../../../src/memory/services/recall/recall-query.ts"
import { recallSignals } from "../../../../src/memory/services/recall/recall-weights.ts"
import { dayMs, found, indexOf, memory, nowMs } from "./documents.ts"

const ann = { id: "ann", name: "Ann" }
const bob = { id: "bob", name: "Bob Miller" }

describe("what is found", () => {
  test("has the question's words in any form, and what people call the same thing", () => {
    const documents = [
      memory("a", "I bought a bicycle for my children."),
      memory("b", "The weather was fine."),
      memory("c", "She buys bread."),
    ]
    expect(found(documents, "When did the kids get a bike?")[0]).toBe("a")
    expect(found(documents, "purchases of bread")[0]).toBe("c")
  })

  test("may be spelt as people write in chats, and words of grammar without their apostrophes find nothing", () => {
    const documents = [memory("a", "xmas at yours, the 17th"), memory("b", "whats up"), memory("c", "we had a good nite")]
    expect(found(documents, "whats the plan for Christmas")).toEqual(["a"])
    expect(found(documents, "how was the night")[0]).toBe("c")
  })

  test("has less of a question's names, Chinese question words and grammar than of what it asks about", () => {
    const weights = { speaker: 0, recency: 0, importance: 0 }
    const stone = { id: "stone", name: "石头" }
    const documents = [
      memory("a", "石头真好"),
      memory("b", "开车学了很久", { speaker: stone }),
      memory("c", "有多少"),
      memory("d", "费心学"),
    ]
    expect(found(documents, "石头学车", { weights })[0]).toBe("b")
    expect(found(documents, "学费要多少", { weights })[0]).toBe("d")
    const grammar = [memory("a", "我想吃饭"), memory("b", "校内的学员")]
    expect(found(grammar, "我想学校", { weights })[0]).toBe("b")
    expect(found(documents, "学费要多少\n有多少", { weights })[0]).toBe("c")
  })

  test("may be a line or two after what the question is about, the more it tells", () => {
    const lines = (session: string, texts: readonly string[]) =>
      texts.map((text, turn) => memory(`${session} ${turn}`, text, { session, turn, speaker: turn % 2 === 0 ? ann : bob }))
    const documents = [
      ...lines("a", ["Two days in Rome.", "We saw it.", "The violins came.", "Haha.", "Then we went home early."]),
      ...lines("b", ["Three days in Rome.", "We saw it.", "The violins came.", "Then we went home early.", "Haha."]),
      ...Array.from({ length: 30 }, (_, i) => memory(`x${i}`, "Plain talk.")),
    ]
    const hits = indexOf(documents).rank({ text: "violins", nowMs, limit: 50 })
    const neighbours = (id: string) =>
      hits.find((hit) => hit.id === id)?.why.find(({ signal }) => signal === "neighbours")?.value ?? 0
    expect(neighbours("b 3")).toBeGreaterThan(neighbours("a 3"))
    expect(neighbours("a 4")).toBeGreaterThan(neighbours("b 4"))
    expect(neighbours("a 4")).toBeGreaterThan(neighbours("a 0") * 1.5)
  })

  test("M7 may have a word in a form that no rule knows, or misspelt", () => {
    const documents = [
      memory("a", "Our architect was in a small chapel."),
      memory("b", "We spoke of the weather."),
      memory("c", "The photographer was late."),
    ]
    expect(found(documents, "architecture")).toEqual(["a"])
    expect(found(documents, "fotographer")).toEqual(["c"])
  })

  test.each([
    ["Which language, C++?", "I write C++ at work."],
    ["c#", "Some C# for a game."],
    ["🍕", "Friday is 🍕 night."],
    ["order INV-2024-0017", "The order is INV-2024-0017, paid."],
    ["0017", "The order is INV-2024-0017, paid."],
    ["5550142", "Call me: 5550142."],
    ["I recieved a parcel", "A parcel: I receive many."],
    ["the kithcen table", "In our kitchen."],
    ["圖書館在哪裡", "图书馆在河边。"],
    ["头发", "她的頭髮很長。"],
  ])("%s: signs, ids, emoji, misspelt words and both ways to write Chinese find their text", (question, text) => {
    const others = [
      "I write C at home.",
      "A game.",
      "Friday is a night 🍔.",
      "Order INV-2024-0018.",
      "Call 5550143.",
      "Nothing came.",
      "馆长不在。",
    ]
    const documents = [...others, text].map((words, at) => memory(`${at}`, words))
    const [first] = indexOf(documents).rank({ text: question, nowMs, limit: 1 })
    expect(first?.id).toBe(`${others.length}`)
  })

  test("knows a speaker by each word of a name, also by one of two letters", () => {
    const bo = { id: "bo", name: "Bo Derek" }
    const said = [memory("a", "I like bread.", { speaker: bo }), memory("b", "I like bread.", { atMs: nowMs })]
    for (const name of ["Bo", "Derek"]) expect(found(said, `Does ${name} like bread?`)[0]).toBe("a")
    expect(found(said, "Does anybody like bread?")[0]).toBe("b")
  })

  test("needs a signal that has a weight: words that weigh nothing find nothing", () => {
    const documents = [memory("a", "bread"), memory("b", "tea")]
    expect(found(documents, "bread")).toEqual(["a"])
    expect(found(documents, "bread", { weights: { words: 0, neighbours: 0, session: 0 } })).toEqual([])
  })

  test("of a question with very many words comes from the 96 that count most", () => {
    const letters = ["ba", "ke", "lo", "mi", "nu", "po", "ra", "se", "ti", "vu"]
    const rare = letters.flatMap((first) => letters.map((second) => `${first}${second}zar`))
    const documents = [...rare.map((word, at) => memory(`rare ${at}`, word)), ...["a", "b"].map((id) => memory(id, "violins"))]
    const isFound = (count: number) =>
      found(documents, [...rare.slice(0, count), "violins"].join(" "), { limit: 500 }).includes("a")
    expect([95, 96].map(isFound)).toEqual([true, false])
  })

  test("has more of the last line of a dialogue than of those before it, of which each counts at least 0.6", () => {
    const documents = [
      memory("a", "violins"),
      memory("b", "trumpets"),
      ...Array.from({ length: 30 }, (_, i) => memory(`x${i}`, "Plain.")),
    ]
    const scores = (text: string) => {
      const hits = indexOf(documents).rank({ text, nowMs, limit: 2, weights: { recency: 0, importance: 0 } })
      const own = (id: string) => hits.find((hit) => hit.id === id)?.why.find(({ signal }) => signal === "words")?.value ?? 0
      return own("a") / own("b")
    }
    expect(scores("trumpets violins")).toBeCloseTo(1, 9)
    expect(scores("trumpets\n\nviolins\n")).toBeCloseTo(1 / 0.8, 9)
    expect(scores(`violins${"\nyes".repeat(40)}\ntrumpets`)).toBeCloseTo(0.6, 9)
  })

  test("M7 is no neighbour after hours of silence, and more so after a question of another person", () => {
    const talk = (name: string, question: string, gapMs: number, answerer = bob) => [
      memory(`${name} asks`, question, { session: name, turn: 1, speaker: ann }),
      memory(`${name} tells`, "Seven, I think.", {
        session: name,
        turn: 2,
        speaker: answerer,
        atMs: nowMs - 100 * dayMs + gapMs,
      }),
    ]
    const documents = [
      ...talk("asked", "How many violins are there?", 60_000),
      ...talk("said", "So many violins there.", 60_000),
      ...talk("alone", "How many violins are there?", 60_000, ann),
      ...talk("late", "How many violins are there?", 5 * 3_600_000),
      ...Array.from({ length: 30 }, (_, i) => memory(`x${i}`, "Plain talk.")),
    ]
    const hits = indexOf(documents).rank({ text: "violins", nowMs, limit: 50, weights: { recency: 0, importance: 0 } })
    const neighbours = (id: string) =>
      hits.find((hit) => hit.id === id)?.why.find(({ signal }) => signal === "neighbours")?.value ?? 0
    expect(neighbours("asked tells")).toBeGreaterThan(neighbours("said tells"))
    expect(neighbours("asked tells")).toBeGreaterThan(neighbours("alone tells"))
    expect(neighbours("said tells")).toBeGreaterThan(0)
    expect(hits.map(({ id }) => id)).not.toContain("late tells")
  })

  test("M7 stands around the best line of a talk, up to six lines away, behind what has more of the question", () => {
    const texts = [
      ...Array.from({ length: 7 }, (_, i) => `That was said ${i} lines before, quite long ago.`),
      "Our violins came out of tune last evening.",
      ...Array.from({ length: 7 }, (_, i) => `Then I told you line ${i} behind it, word by word.`),
    ]
    const lines = texts.map((text, turn) => memory(`${turn}`, text, { session: "s", turn }))
    const late = memory("late", "Hours later I told you this, word by word.", {
      session: "t",
      turn: 1,
      atMs: nowMs - 99 * dayMs,
    })
    const documents = [
      ...lines,
      memory("late best", "Violins! Violins!", { session: "t" }),
      late,
      ...Array.from({ length: 30 }, (_, i) => memory(`x${i}`, "Plain talk about other things of the world.")),
    ]
    const weights = { neighbours: 0, session: 0, recency: 0, importance: 0 }
    const ask = (more: object = {}) =>
      indexOf(documents).rank({ text: "violins out of tune", nowMs, limit: 50, weights: { ...weights, ...more } })
    const hits = ask()
    expect(hits.map(({ id }) => id)).toEqual(["7", "late best", "8", "9", "10", "11", "12", "13", "6", "5", "4", "3", "2", "1"])
    expect(hits[2]?.score).toBeCloseTo((hits[0]?.score ?? 0) / 2, 9)
    expect(hits[8]?.score).toBeCloseTo((hits[0]?.score ?? 0) / 4, 9)
    expect(hits.slice(2).flatMap(({ why }) => why.map(({ signal }) => signal))).toEqual(Array(12).fill("talk"))
    expect(ask({ talk: 0 }).map(({ id }) => id)).toEqual(["7", "late best"])
    // A line that was brought up keeps its own evidence, and the best one gets nothing.
    const own = (hits: readonly RecallHit[]) => hits.slice(0, 2).map(({ id, score, why }) => ({ id, score, why }))
    expect(own(ask({ talk: 0.001 }))).toEqual(own(ask({ talk: 0 })))
  })

  test("is not what stands around a line of which only the speaker is asked about", () => {
    const documents = ["I came home.", "So did I, by the way."].map((text, turn) =>
      memory(`${turn}`, text, { session: "s", turn, speaker: turn === 0 ? ann : bob }),
    )
    expect(found(documents, "Which violins did Bob Miller sell?")).toEqual([])
  })

  test("in Chinese and Japanese shares pairs of characters before single ones", () => {
    const documents = [
      memory("a", "他喜欢在图书馆看书。"),
      memory("b", "图画和书都在馆里。"),
      memory("c", "今天天气很好。"),
      memory("d", "猫が大好きです。"),
    ]
    expect(found(documents, "图书馆").slice(0, 2)).toEqual(["a", "b"])
    expect(found(documents, "大好き")[0]).toBe("d")
  })

  test("is of the time that is asked for only if it was said then, or tells about it", () => {
    const documents = [memory("a", "Plain talk."), memory("b", "We met in January 1970.")]
    const hits = indexOf(documents).rank({ text: "what was in January 1970", nowMs, limit: 9 })
    expect(hits.filter(({ why }) => why.some(({ signal }) => signal === "time")).map(({ id }) => id)).toEqual(["b"])
  })

  test("has a quoted phrase in its order, be it all stop words", () => {
    const documents = [
      memory("a", "to be, or not to be: that is it"),
      memory("b", "not to be there or to be so"),
      memory("c", "nothing"),
    ]
    expect(found(documents, 'who said "or not to be"?')[0]).toBe("a")
    const order = [memory("a", "the car of my sister's dog"), memory("b", "the dog of my sister's car")]
    expect(found(order, "“dog of my sister”")[0]).toBe("b")
    expect(found([memory("a", "好人不多"), memory("b", "人好不多")], "「人好」")[0]).toBe("b")
    const others = ["A red house.", "A red hat."].map((text, at) => memory(`x${at}`, text))
    const within = indexOf([
      memory("a", "A red hat lay in a bored cart beside a car."),
      memory("b", "It was a red car."),
      ...others,
    ])
    const hits = within.rank({ text: '"red car"', nowMs, limit: 9 })
    expect(hits.filter(({ why }) => why.some(({ signal }) => signal === "phrase")).map(({ id }) => id)).toEqual(["b"])
  })

  test("may be an answer whose own words the question has not", () => {
    const talk = ["Nice day.", "How long have you been playing the violin?", "Seven years by now.", "Lovely.", "Bye."].map(
      (text, turn) => memory(`t${turn}`, text, { session: "talk", turn, speaker: turn % 2 === 1 ? bob : ann }),
    )
    const far = memory("far", "Seven years by now.")
    expect(found([...talk, far], "How long has Ann been playing the violin?")[0]).toBe("t2")
  })

  test("stands in the session that is about the question, where lines are alike", () => {
    const session = (name: string, other: string) => [
      memory(`${name}0`, "I loved the soup.", { session: name, turn: 0 }),
      ...Array.from({ length: 4 }, (_, i) => memory(`${name}${i + 1}`, "mm", { session: name, turn: 10 * (i + 1) })),
      memory(`${name}9`, other, { session: name, turn: 90 }),
    ]
    const documents = [
      ...session("x", "We were in Rome."),
      ...session("y", "We were in Oslo."),
      ...session("z", "We were at home."),
    ]
    expect(found(documents, "soup in Oslo").slice(0, 2)).toEqual(["y9", "y0"])
    expect(found(documents, "soup in Rome").slice(0, 2)).toEqual(["x9", "x0"])
  })

  test("was said by whom the question names: whole name, part of it, or I and you", () => {
    const documents = [
      memory("a", "I like tea.", { speaker: ann }),
      memory("b", "I like tea.", { speaker: bob }),
      memory("c", "Rain."),
    ]
    expect(found(documents, "What does Ann like to drink, tea?")[0]).toBe("a")
    expect(found(documents, "Does Miller like tea?")[0]).toBe("b")
    expect(found(documents, "Did I say tea?", { askedBy: "bob", askedOf: "ann" })[0]).toBe("b")
    expect(found(documents, "Do you like tea?", { askedBy: "bob", askedOf: "ann" })[0]).toBe("a")
    expect(found(documents, "你喜欢 tea 吗", { askedBy: "ann", askedOf: "bob" })[0]).toBe("b")
  })

  test("was said by Will or May only where the question means them", () => {
    const documents = [
      memory("a", "I like tea.", { speaker: ann }),
      memory("w", "I like tea.", { speaker: { id: "will", name: "Will" } }),
    ]
    const signals = (text: string) =>
      indexOf([...documents, memory("m", "Tea.", { speaker: { id: "may", name: "May" } })])
        .rank({ text, nowMs, limit: 3 })
        .flatMap(({ why }) => why.map(({ signal }) => signal))
    expect(found(documents, "What tea does Will like?")[0]).toBe("w")
    expect(signals("what tea will she like?")).not.toContain("speaker")
    expect(signals("who had tea in May 2023?")).not.toContain("speaker")
    expect(signals("did May have tea?")).toContain("speaker")
  })

  test("was said when the question says, in the asker's zone, or tells of that time", () => {
    const at = (year: number, month: number, date: number) => ({ atMs: Date.UTC(year, month - 1, date, 20) })
    const documents = [
      memory("may", "We swam.", at(2023, 5, 20)),
      memory("june", "We swam.", at(2023, 6, 20)),
      memory("yesterday", "We swam.", at(2024, 5, 14)),
      memory("told", "Four months ago we swam.", at(2022, 12, 5)),
      memory("none", "We ran."),
    ]
    expect(found(documents, "Who swam in May 2023?")[0]).toBe("may")
    expect(found(documents, "2023年6月 swam")[0]).toBe("june")
    expect(found(documents, "who swam yesterday")[0]).toBe("yesterday")
    expect(found(documents, "who swam in August 2022", { weights: { answer: 0 } })[0]).toBe("told")
    const swum = (id: string, date: number) => memory(id, "We swam.", { atMs: Date.UTC(2024, 4, date, 20) })
    const evenings = [swum("13th", 13), swum("14th", 14), memory("x", "no")]
    expect(found(evenings, "swam on 2024-05-14")[0]).toBe("14th")
    expect(found(evenings, "swam on 2024-05-14", { timeZone: "Asia/Shanghai" })[0]).toBe("13th")
  })

  test.each([
    ["lately", "What about the piano lately?"],
    ["最近", "最近钢琴怎么样？"],
  ])("H14 is not found by a word such as %s, which chooses among what is found", (word, question) => {
    const of = (id: string, text: string, days: number) => memory(id, text, { atMs: nowMs - days * dayMs })
    const documents = [
      of("new", "The piano is in tune. 钢琴调好了。", 3),
      of("old", "The piano was in tune. 钢琴走音了。", 300),
      ...Array.from({ length: 6 }, (_, at) => of(`x${at}`, `Something else ${at}. 别的事情。`, at + 1)),
    ]
    expect(found(documents, question)).toEqual(["new", "old"])
    expect(found(documents, word)).toEqual([])
  })

  test("says when, or how many, where that is what is asked", () => {
    const documents = [
      memory("plain", "My sister married in a church."),
      memory("when", "My sister married yesterday."),
      memory("other", "Hm."),
    ]
    expect(found(documents, "When did the sister marry?")[0]).toBe("when")
    expect(found([memory("a", "I have cats."), memory("b", "I have three cats."), memory("c", "So.")], "How many cats?")[0]).toBe(
      "b",
    )
  })

  test("tells before it asks", () => {
    const documents = [memory("asks", "Do you like pottery?"), memory("tells", "I do like pottery."), memory("other", "So.")]
    expect(found(documents, "pottery")[0]).toBe("tells")
  })

  test.each(["What am I allergic to?", "What's my allergy?", "what are we allergic to?"])(
    "%s is answered by what somebody says of themselves, before what they say of others",
    (text) => {
      const others = ["Tom", "Ann", "The postman"].map((who) => memory(who, `${who} is allergic to everything.`))
      const self = /we/.test(text)
        ? "Found out the hard way that we are allergic to celery, all of us."
        : "Found out that I'm allergic to celery."
      expect(found([memory("self", self, { atMs: nowMs - 90 * dayMs }), ...others], text)[0]).toBe("self")
    },
  )

  test("only a question about oneself finds what shares but `I` with it, behind what has its words", () => {
    const documents = [memory("shin", "My left shin hurts."), memory("shop", "The shop is shut."), memory("boss", "Her boss.")]
    expect(found(documents, "What did I injure?")).toEqual(["shin"])
    expect(found(documents, "I injured something.")).toEqual([])
    expect(found(documents, "Who is my manager?")).toEqual(["boss", "shin"])
  })

  test("of two people who say `I`, the one who asks is meant", () => {
    const documents = [
      memory("bob", "I am allergic to nuts.", { speaker: bob }),
      memory("ann", "I am allergic to figs.", { speaker: ann }),
    ]
    const index = new RecallIndex()
    for (const document of documents) index.replace(document)
    const own = (askedBy: string) => index.rank({ text: "What did I injure?", nowMs, limit: 9, askedBy }).map(({ id }) => id)
    expect([own("ann"), own("bob")]).toEqual([["ann"], ["bob"]])
  })

  test("M3 R17: of equals is what is better remembered, then what is more important", () => {
    const documents = [
      memory("faded", "tea"),
      memory("stable", "tea", { stability: 400 }),
      memory("recalled", "tea", { recalledAtMs: nowMs }),
      memory("important", "tea", { importance: 9 }),
      memory("other", "no"),
    ]
    expect(found(documents, "tea")).toEqual(["recalled", "stable", "important", "faded"])
    expect(found(documents, "")).toEqual(["recalled", "stable", "important", "faded", "other"])
  })

  test.each([
    ["Where do I live now?", "madrid"],
    ["Which city do I currently live in?", "madrid"],
    ["Where did I live at first?", "paris"],
    ["What was the first city I lived in?", "paris"],
    ["我现在住在哪里？", "上海"],
    ["我最早住在哪里", "北京"],
  ])("%s has the newest or the oldest that matches first", (text, first) => {
    const lived = [
      memory("paris", "I live in Paris, the best city.", { atMs: nowMs - 400 * dayMs }),
      memory("rome", "I live in Rome now, such a lovely old city.", { atMs: nowMs - 90 * dayMs }),
      memory("madrid", "I live in Madrid, a big city.", { atMs: nowMs - 2 * dayMs }),
      memory("北京", "我住在北京。", { atMs: nowMs - 400 * dayMs }),
      memory("上海", "我住在上海的老房子里。", { atMs: nowMs - 2 * dayMs }),
      memory("talk", "So, what do you do at work?", { atMs: nowMs - dayMs }),
      memory("聊天", "你今天吃了什么？", { atMs: nowMs - dayMs }),
    ]
    expect(found(lived, text)[0]).toBe(first)
  })

  test("M2 was said at each of its times", () => {
    const said = [
      memory("twice", "We swam.", { atMs: Date.UTC(2023, 4, 20), againAtMs: [Date.UTC(2024, 3, 20)] }),
      memory("once", "We swam.", { atMs: Date.UTC(2023, 8, 20) }),
    ]
    expect(found(said, "who swam in May 2023")[0]).toBe("twice")
    const later = memory("later", "We swam.", { atMs: nowMs - 2 * dayMs })
    expect(found([...said, later], "who swam in April 2024")[0]).toBe("twice")
    expect(found(said, "who swam in September 2023")[0]).toBe("once")
    expect(found(said, "who swam latest?")[0]).toBe("twice")
    expect(found(said, "who swam at first?")[0]).toBe("twice")
    expect(found(said, "swam", { weights: { recency: 0, importance: 0 } })).toEqual(["twice", "once"])
  })

  test("keeps its place where nothing asks for an end of time, or both are asked for", () => {
    const lived = [
      memory("rome", "My first flat was in Rome, in a street near the river.", { atMs: nowMs - 400 * dayMs }),
      memory("oslo", "A flat.", { atMs: nowMs - 2 * dayMs }),
    ]
    const signals = (text: string) =>
      indexOf(lived)
        .rank({ text, nowMs, limit: 2 })
        .flatMap(({ why }) => why.map(({ signal }) => signal))
    expect(signals("Which flat?")).not.toContain("order")
    expect(signals("The first and the latest flat?")).not.toContain("order")
    expect(signals("What is the first name of the flat's owner?")).not.toContain("order")
    expect(signals("I work a lot now.\nTell me about the flat.")).not.toContain("order")
    expect(signals("I work a lot. Which flat do I have now?")).toContain("order")
  })

  test("at a tie is the newest, then the first by id", () => {
    const documents = [memory("b", "tea"), memory("a", "tea"), memory("new", "tea", { atMs: nowMs - 50 * dayMs })]
    expect(found(documents, "tea", { weights: { recency: 0 } })).toEqual(["new", "a", "b"])
  })
})

describe("an answer", () => {
  const documents = [
    memory("a", "Yesterday I ran a race with Bob.", { session: "s", turn: 1 }),
    memory("b", "What a race!", { session: "s", turn: 2, speaker: bob }),
    memory("c", "Tea, please.", { session: "t" }),
  ]

  test("says what made up each score, and the shares are one whole", () => {
    for (const { why, score } of indexOf(documents).rank({ text: "When did Ann run the race?", nowMs, limit: 3 })) {
      expect(score).toBeGreaterThan(0)
      expect(why.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9)
      expect(why.map(({ share }) => share)).toEqual(why.map(({ share }) => share).toSorted((x, y) => y - x))
    }
    const [first] = indexOf(documents).rank({ text: "When did Ann run the race?", nowMs, limit: 1 })
    expect(first?.id).toBe("a")
    expect(first?.why.map(({ signal }) => signal)).toEqual(
      expect.arrayContaining(["words", "speaker", "answer", "neighbours", "importance"]),
    )
  })

  test("M4 has a score that means the same for every question: the share of it that is answered", () => {
    const talk = Array.from({ length: 60 }, (_, i) => memory(`t${i}`, `Plain talk number ${i} about the weather.`))
    const index = indexOf([...talk, memory("x", "The violin teacher stays in Lisbon.")])
    const best = (text: string) => index.rank({ text, nowMs, limit: 1 })[0]?.score ?? 0
    expect(best("Where does the violin teacher stay?")).toBeGreaterThan(0.9)
    expect(best("Does the violin need strings, rosin and humidity control?")).toBeLessThan(0.35)
    expect(best("zeppelin")).toBe(0)
    const asked = { text: "Where does the violin teacher stay, in plain weather?", nowMs, limit: 100 }
    const all = index.rank(asked)
    const strict = index.rank({ ...asked, leastScore: 0.5 })
    expect(strict.map(({ id }) => id)).toEqual(["x"])
    expect(all.slice(0, 1)).toEqual(strict)
    expect(all.length).toBe(61)
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("is refused for a weight of %d", (weight) => {
    const ask = () => indexOf(documents).rank({ text: "race", nowMs, limit: 1, weights: { neighbours: weight } })
    expect(ask).toThrow(/weight neighbours of a recall query, found/)
  })

  test("names no signal whose weight is 0", () => {
    for (const off of recallSignals) {
      const hits = indexOf(documents).rank({
        text: 'When did Ann say "ran a race"? yesterday',
        nowMs,
        limit: 3,
        weights: { [off]: 0 },
      })
      expect(hits.flatMap(({ why }) => why).filter(({ signal }) => signal === off)).toEqual([])
    }
  })

  test.each([0, -1, Number.NaN, 1, 2, 1e9])(
    "to a limit of %d has no more hits than that, and no more than there are",
    (limit) => {
      expect(indexOf(documents).rank({ text: "race", nowMs, limit })).toHaveLength(limit > 1 ? 2 : limit > 0 ? 1 : 0)
      expect(indexOf(documents).rank({ text: "", nowMs, limit })).toHaveLength(limit > 2 ? 3 : Math.max(0, limit || 0))
    },
  )

  test("M4 to nothing, from nothing and of nothing but signs is calm", () => {
    expect(new RecallIndex().rank({ text: "tea", nowMs, limit: 5 })).toEqual([])
    for (const text of ["", "   "]) expect(found(documents, text)).toHaveLength(3)
    for (const text of ["?", "?!…", "\u0000", "\ud800", "👍", "🍕", "5550142", "的", "the of and"])
      expect(found(documents, text)).toEqual([])
    // An id that differs in a digit is another id, and no form of this one.
    const other = memory("order", "Order 5550199 never came, and 55501422 neither.")
    expect(found([...documents, other], "5550142")).toEqual([])
    expect(found([...documents, other], "5550199")).toEqual(["order"])
  })

  test("to a huge or hostile question is found in bounded work", () => {
    const texts = [
      "a ".repeat(50_000),
      `"`.repeat(100_000),
      "last ".repeat(20_000),
      "1/".repeat(50_000),
      "昨".repeat(100_000),
      "race".repeat(25_000),
      `race ${"x".repeat(100_000)}`,
    ]
    for (const text of texts) expect(found(documents, text).length).toBeLessThanOrEqual(3)
    expect(found(documents, `Who ran? ${"filler ".repeat(20_000)}`)[0]).toBe("a")
  })
})

describe("the index", () => {
  test("takes another text of an id that is there", () => {
    const index = indexOf([memory("a", "tea"), memory("b", "milk")])
    index.replace(memory("a", "coffee"))
    index.replace(memory("c", "water"))
    expect(index.size).toBe(3)
    expect(index.rank({ text: "coffee", nowMs, limit: 1 })[0]?.id).toBe("a")
    expect(index.rank({ text: "tea", nowMs, limit: 3 })).toEqual([])
  })

  test("forgets all of what is removed, its speaker's name among it", () => {
    const left = [memory("b", "tea for Bob"), memory("c", "milk")]
    const index = indexOf([memory("a", "tea", { speaker: bob }), ...left])
    expect([index.remove("a"), index.remove("a")]).toEqual([true, false])
    const question = { text: "milk or tea, Bob?", nowMs, limit: 9 }
    expect(index.rank(question)).toEqual(indexOf(left).rank(question))
  })

  test("tells about how much it takes", () => {
    const index = indexOf(
      Array.from({ length: 500 }, (_, i) =>
        memory(`m${i}`, `This is line ${i} of a talk about tea and the weather in town ${i % 50}.`),
      ),
    )
    expect(index.bytes / 500).toBeGreaterThan(100)
    expect(index.bytes / 500).toBeLessThan(3_000)
  })
})

describe("texts of very different lengths", () => {
  const bot = { id: "bot", name: "Bot" }
  const advice = "Feed the dog twice a day, call the vet, walk the dog, and call a trainer."
  const answers = Array.from({ length: 12 }, (_, i) =>
    memory(`answer${i}`, `${advice} ${i} ${"Water the garden, read a book, sleep early. ".repeat(20)}`, {
      speaker: bot,
      session: "chat",
      turn: 2 * i,
    }),
  )
  const remarks = Array.from({ length: 12 }, (_, i) =>
    memory(`remark${i}`, `fine, number ${i} it is`, { session: "talk", turn: i }),
  )

  test("M7 a remark that answers comes before long answers that share its words", () => {
    const told = memory("told", "the dog is called Biscuit", { session: "other" })
    expect(found([...answers, ...remarks, told], "What is my dog called?")[0]).toBe("told")
  })

  test("M7 a line says less about the one beside it the longer the silence between them", () => {
    const minuteMs = 60_000
    const silentFor = (minutes: number) => {
      const asked = memory("asked", "shall we eat mushrooms?", { speaker: bot, session: "s" })
      const said = memory("said", "sure, gladly", { session: "s", turn: 1, atMs: asked.atMs + minutes * minuteMs })
      const others = Array.from({ length: 5 }, (_, i) => memory(`other${i}`, `some other line ${i}`))
      const hits = indexOf([asked, said, ...others]).rank({ text: "mushrooms", nowMs, limit: 9 })
      return hits.find(({ id }) => id === "said")?.score ?? 0
    }
    expect(silentFor(59)).toBeCloseTo(silentFor(1), 4)
    expect(silentFor(61)).toBeLessThan(silentFor(59) - 0.01)
    expect(silentFor(181)).toBeLessThan(silentFor(61) - 0.01)
  })
})

describe("M23 a long text", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => `Line ${at} tells of the weather in the harbour.\n`).join("")
  const key = "The spare key lies under the blue flowerpot."
  const long = memory("long", `${lines(900)}${key}\n${lines(400)}`, { keys: { words: ["hiding place"] } })
  const others = Array.from({ length: 20 }, (_, at) => memory(`other${at}`, `Somebody asked where number ${at} was.`))
  const rank = (index: RecallIndex, text: string) => index.rank({ text, nowMs, limit: 30 })

  test("is found by any part of it, once, and the hit tells where that part begins", () => {
    const hits = rank(indexOf([...others, long]), "Where is the spare key, in a flowerpot?")
    expect(hits[0]).toMatchObject({ id: "long", foundAt: long.text.indexOf(key) })
    expect(hits.filter(({ id }) => id === "long")).toHaveLength(1)
    expect(long.text.indexOf(key)).toBeGreaterThan(2 * 16_384)
  })

  test("is found by a phrase and by its keys, whatever passage they stand beside", () => {
    expect(rank(indexOf([...others, long]), '"under the blue flowerpot"')[0]?.id).toBe("long")
    expect(rank(indexOf([...others, long]), "the hiding place")[0]?.id).toBe("long")
    expect(rank(indexOf([...others, long]), "")).toHaveLength(21)
  })

  test("counts as one document, is updated whole, and goes whole", () => {
    const index = indexOf([...others, long])
    expect([index.size, index.ids().length]).toEqual([21, 21])
    expect(index.replace({ ...long, importance: 9 })).toBe(false)
    expect(index.replace({ ...long, text: `${long.text}!` })).toBe(true)
    expect(index.size).toBe(21)
    expect(index.remove("long")).toBe(true)
    expect(rank(index, "flowerpot weather harbour")).toEqual([])
  })
})

test("an index of which half was removed has the room of one that never had it", () => {
  const all = Array.from({ length: 200 }, (_, at) => memory(`${at}`, `word${at} ${"and others ".repeat(20)}`))
  const index = indexOf(all)
  for (const { id } of all.slice(0, 100)) index.remove(id)
  expect(index.bytes).toBe(indexOf(all.slice(100)).bytes)
})
