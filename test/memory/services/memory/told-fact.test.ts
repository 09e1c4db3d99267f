import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { toldFacts } from "../../../../src/memory/services/memory/memory-facts.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { peopleChats } from "../../../support/people-chats.ts"
import { runs } from "../../../support/size.ts"

test.each([
  ["I live in Paris.", "home", "paris"],
  ["i live in madrid now", "home", "madrid"],
  ["I live in Paris near the canal", "home", "paris"],
  ["I moved to Berlin last week, finally!", "home", "berlin"],
  ["We just moved to New York City!", "home", "new york city"],
  ["i work at Initech as a C++ dev", "workplace", "initech"],
  ["I got a new job at Globex, doing C# now", "workplace", "globex"],
  ["I've just started a new job at Globex", "workplace", "globex"],
  ["我换工作了，现在在阿里上班", "workplace", "阿里"],
  ["我搬到上海了", "home", "上海"],
  ["Btw I'm living in Lisbon, since May", "home"],
  ["I work at Google now", "workplace"],
  ["My name is Ann", "name"],
  ["I'm 31 years old", "age"],
  ["My favorite color is blue", "favourite color"],
  ["my dog is called Rex", "name of dog"],
  ["My birthday is May 5th", "birthday"],
  ["我住在杭州", "home"],
  ["我現在住在上海了", "home"],
  ["对了，我搬到北京了", "home"],
  ["我叫小明", "name"],
  ["我在阿里上班", "workplace"],
  ["我今年30岁", "age"],
  ["我最喜欢的颜色是蓝色", "最喜欢的颜色"],
  ["我的猫叫团子", "猫的名字"],
  ["We relocated to Oslo last month", "home", "oslo"],
  ["I'm in Oslo now", "home", "oslo"],
  ["我现在在成都生活", "home", "成都"],
  ["I quit Siemens", "workplace", "siemens"],
  ["I got laid off", "workplace"],
  ["我从西门子离职了", "workplace", "西门子"],
  ["Tom and I broke up", "partner"],
  ["我有女朋友了", "partner"],
  ["i no longer eat fish", "diet"],
  ["我又吃肉了", "diet"],
  ["I've given up coffee", "likes coffee"],
  ["I love spicy food.", "likes spicy food"],
  ["我不能吃海鲜", "喜欢海鲜"],
  ["I'm based in Vienna these days", "home", "vienna"],
  ["I've just moved from Porto to Seville", "home", "seville"],
  ["I've been working at Ericsson since May", "workplace", "ericsson"],
  ["I'm now working for BP", "workplace", "bp"],
  ["I quit IBM", "workplace", "ibm"],
  ["We called off the engagement", "partner"],
  ["I can't stand sushi anymore", "likes sushi"],
  ["I love sushi so much", "likes sushi"],
  ["I never eat pizza anymore", "likes pizza"],
  ["I actually like olives now", "likes olives"],
  ["我跳槽到字节了", "workplace", "字节"],
  ["我把咖啡戒了", "喜欢咖啡"],
  ["我和小美分了", "partner"],
  ["我家在武汉", "home", "武汉"],
  ["我们家搬到长沙了", "home", "长沙"],
  ["我搬回沈阳了", "home", "沈阳"],
  ["我的猫改名叫豆豆了", "猫的名字"],
])("%s tells the fact %s", (text, fact, value?: string) => {
  expect(toldFacts(text)[0]?.relation).toBe(fact)
  if (value !== undefined) expect(toldFacts(text)[0]?.value).toBe(value)
})

test.each([
  ["I moved to Oslo, quit Siemens and my sister Anna is getting married in May", "home oslo, workplace siemens"],
  ["I quit Siemens and moved to Oslo. My dog is called Rex!", "home oslo, workplace siemens, name of dog"],
  ["I live in Paris and work at Initech, but you live in Rome", "home paris, workplace initech"],
  ["I live in Paris, and I'm 31 and i no longer eat fish", "home paris, diet, age"],
  ["I live in Paris and Ann works at Initech", "home paris"],
  ["我搬到成都了，从西门子离职了，我妹妹五月结婚", "home 成都, workplace 西门子"],
  ["我今年30岁，也不吃辣了。我在阿里上班", "workplace 阿里, age, 喜欢辣"],
])("M25 %s tells %s", (text, facts) => {
  expect(
    toldFacts(text)
      .map(({ relation, value = "" }) => `${relation} ${value}`.trim())
      .sort(),
  ).toEqual(facts.split(", ").sort())
})

test.each([
  "I live in fear of spiders",
  "I live in a small flat",
  "I live in the city",
  "I used to live in Rome",
  "I lived in Rome",
  "I wish I live in Rome",
  "If I live in Rome, will you visit?",
  "Do I live in Paris?",
  "She lives in Paris.",
  "I got a new job at the office",
  "他换工作了，现在在阿里上班",
  "Ann said: “I live in Paris.”",
  "I work for free",
  "I work at home sometimes and at the office",
  "my name is not important",
  "I'm 5 minutes late",
  "I'm 100 percent sure",
  "my job is so hard",
  "my birthday is coming up",
  "I moved to the couch",
  "I moved on",
  "I'm in bed now",
  "I'm in Berlin now for a conference",
  "I quit smoking",
  "I love you",
  "I like the way you said it",
  "I like to swim",
  "I'd like coffee",
  "It looks like rain and I like rain",
  "我们要搬家了",
  "我不吃饭了",
  "我不去了",
  "我爱你",
  "我不是老师",
  "我喜欢安静的地方",
  "我住在酒店",
  "我住在你家楼上",
  "如果我住在北京就好了",
  "我以前住在北京",
  "我住在北京吗",
  "我叫外卖了",
  "我叫他别来",
  "我的猫叫了一晚上",
  "我在家工作",
  "她住在杭州",
  "I'm working for free",
  "I'm working at home today",
  "I moved from the sofa to the couch",
  "I don't eat much",
  "I can't stand it",
  "我和小美分了一个蛋糕",
  "我家在三楼",
  "我家在地铁站旁边",
  "我把手机忘了",
])("%s tells none", (text) => {
  expect(toldFacts(text)).toEqual([])
})

test("a text of any characters is read without harm, and only about the speaker", () => {
  const piece = fc.constantFrom("I", "live in", "Paris", "my", "name is", "我", "住在", "叫", " ", "\n", ".", "they", "not", "?")
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(piece).map((all) => all.join(" ")),
      ),
      (text) => {
        const facts = toldFacts(text)
        if (facts.length > 0) expect(text.normalize("NFKC").toLowerCase()).toMatch(/\bi\b|\bmy\b|\bwe\b|我/)
        expect(toldFacts(`${text} ?`)).toEqual([])
      },
    ),
    { numRuns: runs(300) },
  )
})

test.each([
  ["en", ["we broke up"]],
  ["zh", ["我分手了", "我跟阿凱分了"]],
] as const)("chats in the manner of people (%s, development) hold no false fact", (language, told) => {
  const lines = peopleChats(language, "development").flatMap((chat) => chat.lines)
  expect(lines.flatMap(({ text }) => (toldFacts(text).length === 0 ? [] : [text]))).toEqual(told)
})

describe("without a model", () => {
  const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
  const ann = { id: "ann", name: "Ann" }
  const day = 86_400_000

  async function remembering(said: readonly (readonly [day: number, text: string, speaker?: typeof ann])[]) {
    const nowMs = 500 * day
    const service = createMemoryService({ records: createInMemoryStore().memories, clock: { nowMs: () => nowMs } })
    for (const [at, [days, text, speaker = ann]] of said.entries()) {
      const memory = { id: `m${at}`, kind: "dialogue" as const, text, speaker, atMs: days * day, turnId: `t${at}`, turn: at }
      await service.remember(memory, key)
    }
    const signal = new AbortController().signal
    return {
      service,
      ask: async (query: string) => (await service.recall(query, key, { limit: 9, signal })).map(({ text }) => text),
    }
  }

  test("M2 a fact that is told anew is linked to the older one, which is kept behind it with its date", async () => {
    const { service, ask } = await remembering([
      [100, "I live in Paris."],
      [300, "Rome was lovely last week."],
      [498, "I moved to Madrid"],
    ])
    expect((await service.get("m2", key))?.updates).toEqual(["m0"])
    expect((await service.get("m0", key))?.atMs).toBe(100 * day)
    const found = await ask("Where do I live?")
    expect(found.slice(0, 2)).toEqual(["I moved to Madrid", "I live in Paris."])
    expect((await ask("Where did I live before?"))[0]).toBe("I live in Paris.")
  })

  test.each([
    ["I like coffee.", "I don't like coffee anymore", "Do I like coffee?"],
    ["I'm vegetarian.", "I eat meat again", "Am I a vegetarian?"],
    ["I live in Paris.", "We relocated", "Where do I live?"],
    ["I live in Paris.", "I'm in Oslo now", "Where do I live?"],
    ["I work at Siemens.", "I quit Siemens", "Do I work at Siemens?"],
    ["我住在杭州", "我上周搬到成都了", "我住在哪里？"],
    ["我喜欢吃辣", "我不吃辣了", "我能吃辣吗？"],
    ["我女朋友叫小美", "我们分手了", "我女朋友是谁？"],
    ["I live in Munich", "I'm based in Vienna these days", "Where do I live?"],
    ["I work for Nokia", "I've been working at Ericsson since May", "Where do I work?"],
    ["I love sushi", "I can't stand sushi anymore", "Do I like sushi?"],
    ["我在百度上班", "我跳槽到字节了", "我在哪里上班？"],
    ["我喜欢喝咖啡", "我把咖啡戒了", "我喝咖啡吗？"],
    ["我家在武汉", "我们家搬到长沙了", "我家在哪里？"],
  ])("M17 what is told anew without keys stands before what it changes: %s → %s", async (old, now, question) => {
    const { service, ask } = await remembering([
      [100, old],
      [300, "Rome was lovely last week."],
      [301, "今天天气很好"],
      [498, now],
    ])
    expect((await service.get("m3", key))?.updates).toEqual(["m0"])
    expect((await ask(question)).slice(0, 2)).toEqual([now, old])
  })

  test("for what was before a value that is over, the one before it comes first", async () => {
    const { ask } = await remembering([
      [100, "I work at Google."],
      [200, "I work at Siemens."],
      [498, "I quit Siemens"],
    ])
    expect((await ask("Where did I work before Siemens?"))[0]).toBe("I work at Google.")
    expect((await ask("Where do I work?"))[0]).toBe("I quit Siemens")
  })

  test.each([
    ["Ann", "city"],
    ["user", "home"],
    ["I", "lives_in"],
    ["ANN", "住处"],
  ])("M17 one fact under other names, %s and %s, is linked", async (subject, relation) => {
    const { service } = await remembering([[100, "I live in Paris."]])
    const said = { kind: "dialogue" as const, text: "Berlin it is", speaker: ann, atMs: 495 * day, turnId: "k", turn: 9 }
    const keys = { words: [], subject, relation, by: "m" }
    expect(await service.remember({ ...said, id: "k", keys }, key)).toMatchObject({ updates: ["m0"] })
    // The agent's own "I" is nobody else's fact.
    const other = { ...said, id: "f", text: "Rome it is", speaker: { id: "fay", name: "Fay" }, turnId: "f" }
    const { updates } = await service.remember({ ...other, keys: { ...keys, subject: "I" } }, key)
    expect(updates).toBeUndefined()
  })

  test("a question that names the older value is answered by the older one", async () => {
    const { ask } = await remembering([
      [100, "I moved to Rome last week, finally!"],
      [300, "Nice weather today."],
      [498, "I live in Madrid now"],
      [499, "我住在杭州", { id: "bo", name: "Bo" }],
      [499.5, "我搬到北京了", { id: "bo", name: "Bo" }],
    ])
    expect((await ask("When did I move to Rome?"))[0]).toBe("I moved to Rome last week, finally!")
    expect((await ask("What did I say about Rome?"))[0]).toBe("I moved to Rome last week, finally!")
    expect((await ask("Where do I roam?"))[0]).not.toBe("I moved to Rome last week, finally!")
    expect((await ask("我住在杭州的时候"))[0]).toBe("我住在杭州")
    expect((await ask("我住在哪里"))[0]).toBe("我搬到北京了")
  })

  test.each([
    "Before Madrid, where did I live?",
    "Where did I live before Madrid?",
    "where was my home before I moved to Madrid",
    "Before moving to Madrid where did I live?",
  ])("a question for what was before a value is answered by the one before it: %s", async (question) => {
    const { ask } = await remembering([
      [100, "I live in Paris."],
      [200, "I moved to Rome!"],
      [300, "Nothing is new before Madrid plays again."],
      [498, "I moved to Madrid"],
    ])
    const places = (found: readonly string[]) => found.filter((text) => text.startsWith("I "))
    expect(places(await ask(question))).toEqual(["I moved to Rome!", "I live in Paris.", "I moved to Madrid"])
    expect(places(await ask(question.replace("Madrid", "Rome")))[0]).toBe("I live in Paris.")
    expect(places(await ask("Where do I live?"))[0]).toBe("I moved to Madrid")
  })

  test.each(["搬到北京之前我住在哪里？", "在北京以前，我住哪儿", "北京之前我的家在哪"])(
    "in Chinese too: %s",
    async (question) => {
      const { ask } = await remembering([
        [100, "我住在杭州"],
        [200, "我搬到成都了"],
        [490, "我搬到北京了"],
      ])
      expect(await ask(question)).toEqual(["我搬到成都了", "我住在杭州", "我搬到北京了"])
    },
  )

  test("Chinese too, and one that has keys as well as one that has none", async () => {
    const { service, ask } = await remembering([
      [100, "我住在杭州"],
      [490, "我搬到北京了"],
    ])
    expect((await ask("我住在哪里？"))[0]).toBe("我搬到北京了")
    const keys = { words: ["residence"], subject: "Ann", relation: "home", by: "m" }
    const speaker = { id: "ann", name: "Ann" }
    const said = {
      id: "k",
      kind: "dialogue" as const,
      text: "Berlin it is, from today",
      speaker,
      atMs: 495 * day,
      turnId: "k",
      turn: 9,
    }
    expect(await service.remember({ ...said, keys }, key)).toMatchObject({ updates: ["m0", "m1"] })
  })

  test("facts of another speaker or of another kind are not linked", async () => {
    const fay = { id: "fay", name: "Fay" }
    const { service } = await remembering([
      [100, "I live in Paris.", fay],
      [200, "I work at Siemens."],
      [300, "My favourite colour is red."],
      [400, "My favourite dish is soup."],
      [450, "I live in Madrid."],
    ])
    for (const id of ["m1", "m2", "m3", "m4"]) expect((await service.get(id, key))?.updates).toBeUndefined()
  })
})

test("a message of at most 200 characters is read for a fact, a longer one is not", () => {
  const told = (length: number) => toldFacts("I live in Madrid.".padEnd(length))[0]?.relation
  expect([200, 201].map(told)).toEqual(["home", undefined])
})
