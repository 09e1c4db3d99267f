import type { SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { MessageFilter, SessionStore } from "../../../memory/services/store/session-store.ts"
import { claim, claimEqual, claimRejects } from "../claims.ts"
import { commitOf, hardTexts, jobOf, keyOf, type Rules, said, textsOf } from "./samples.ts"

/** Rules of `append`. */
export const appendRules: Rules<SessionStore> = {
  async "appended messages stand at the end of the history, and a turn that runs meanwhile commits behind them"(scene) {
    const { service, group: key } = scene
    await service.append(key, [said("first"), said("second")])
    const begun = await service.load(key)
    claimEqual([begun?.version, textsOf(begun?.history), begun?.state], [0, ["first", "second"], {}], "a session of words alone")
    await service.commit(key, commitOf(0, ["turn"], { state: { kept: true } }))
    await service.append(key, [said("meanwhile")])
    const heard = await service.load(key)
    claimEqual([heard?.version, heard?.state], [1, { kept: true }], "version and state after an append")
    claimEqual(await service.commit(key, commitOf(1, ["late turn"])), { version: 2 }, "the commit of a turn that ran")
    const texts = ["first", "second", "turn", "meanwhile", "late turn"]
    claimEqual(textsOf((await service.load(key))?.history), texts, "the history")
    claimEqual(textsOf(await service.messages(key, { limit: 2 })), ["meanwhile", "late turn"], "the newest messages")
  },
  async "one message that was appended before the first turn stays before it"({ service, group: key }) {
    await service.append(key, [said("heard")])
    await service.commit(key, commitOf(0, ["turn"]))
    claimEqual(textsOf((await service.load(key))?.history), ["heard", "turn"], "the history")
  },
  async "calls that wait at the same time keep their order, each session by itself"({ service, agent }) {
    const keys = ["a", "b", "c"].map((conversation) => keyOf(agent, { conversation, audience: "group" }))
    const texts = Array.from({ length: 20 }, (_, at) => `heard ${at}`)
    await Promise.all(texts.flatMap((text) => keys.map((key) => service.append(key, [said(text)]))))
    for (const key of keys) claimEqual(textsOf((await service.load(key))?.history), texts, `the words of ${key.conversation}`)
  },
  async "commits and appends that race are all kept once, and each commit stands whole"({ service, group: key }) {
    const turns = ["x", "y", "z"].map(async (name) => {
      for (;;) {
        const { version = 0 } = (await service.load(key)) ?? {}
        try {
          return await service.commit(key, commitOf(version, [`${name} asks`, `${name} is told`]))
        } catch (error) {
          if (!PromptStrataError.isInstance(error) || error.code !== "session-conflict") throw error
        }
      }
    })
    const words = Array.from({ length: 15 }, (_, at) => `heard ${at}`)
    await Promise.all([...turns, ...words.map((text) => service.append(key, [said(text)]))])
    const { version, history } = (await service.load(key)) ?? {}
    const texts = textsOf(history)
    claimEqual(version, 3, "a version for each commit")
    claimEqual(
      texts.filter((text) => text.startsWith("heard")),
      words,
      "the appended words",
    )
    for (const name of ["x", "y", "z"])
      claimEqual(texts[texts.indexOf(`${name} asks`) + 1], `${name} is told`, `what follows the question of ${name}`)
    claim(texts.length === words.length + 6, "every message once", texts)
  },
  async "blank messages are kept and not counted, and no messages change nothing"({ service, group: key }) {
    await service.append(key, [])
    claimEqual(await service.load(key), undefined, "a session to which nothing was appended")
    await service.append(key, [said("a"), said(" "), said("b")])
    await service.append(key, [said(""), said("c")])
    const { history, earlier } = (await service.load(key, { last: 1 })) ?? {}
    claimEqual([textsOf(history), earlier], [["c"], 2], "the last message, and those before it that are not blank")
    await service.commit(key, commitOf(0, ["d"]))
    claimEqual((await service.load(key, { last: 0 }))?.earlier, 4, "the count after a commit")
  },
  async "messages that are not plain JSON are refused, and others that wait with them are kept"({ service, group: key }) {
    const broken = said("broken", { prestart: [{ tool: "t", args: { run: () => 1 }, result: "" }] })
    const before = service.append(key, [said("before")])
    await claimRejects(() => service.append(key, [broken]), "usage", "a message with a function")
    await Promise.all([before, service.append(key, [said("behind")])])
    claimEqual(textsOf((await service.load(key))?.history), ["before", "behind"], "the history")
  },
  async "changes to appended messages do not change the store"({ service, group: key }) {
    const messages = [said("kept")]
    const appending = service.append(key, messages)
    messages.push(said("late"))
    await appending
    claimEqual(textsOf((await service.load(key))?.history), ["kept"], "the history")
  },
}

function objectsIn(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

/** Changes everything that can be changed in a value. A store may hand out frozen data instead of a copy. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return
  for (const name of Object.keys(value)) Reflect.set(value, name, "spoilt")
  Reflect.set(value, Array.isArray(value) ? value.length : "spoilt", "spoilt")
}

/** Rules of `load` and `commit`. */
export const sessionRules: Rules<SessionStore> = {
  async "a session that was never written is absent"({ service, agent }) {
    claimEqual(await service.load(keyOf(agent)), undefined, "what was never written")
  },
  async "each commit appends its messages in order, replaces the state and raises the version by one"({ service, key }) {
    const first = await service.commit(key, commitOf(0, ["a", "b"], { state: { stack: [1], old: true } }))
    const second = await service.commit(key, commitOf(1, ["c"], { state: { stack: [2] } }))
    claimEqual([first, second], [{ version: 1 }, { version: 2 }], "the versions handed back")
    const record = await service.load(key)
    claimEqual(textsOf(record?.history), ["a", "b", "c"], "the words")
    claimEqual([record?.version, record?.state], [2, { stack: [2] }], "version and state")
  },
  async "a commit that expects another version throws session-conflict and changes nothing, notes and jobs included"(scene) {
    const { service, key } = scene
    await service.commit(key, commitOf(0, ["a"], { state: { kept: true } }))
    await service.post(key, { id: "note", owner: "hook", payload: {} })
    const before = await service.load(key)
    for (const version of [0, 2, 99]) {
      const stale = commitOf(version, ["b"], { state: { lost: true }, jobs: [jobOf("stale", key)], taken: ["note"] })
      await claimRejects(() => service.commit(key, stale), "session-conflict", `a commit that expects version ${version}`)
    }
    claimEqual(await service.load(key), before, "the session after refused commits")
  },
  async "a commit that is not plain JSON is refused whole"({ service, key }) {
    const broken = { deep: [{ run: () => 1 }] }
    const outcome = await service.commit(key, commitOf(0, ["a"], { state: broken })).catch((error: unknown) => ({ error }))
    claim("error" in outcome, "a state with a function to be refused", outcome)
    claimEqual(await service.load(key), undefined, "the session after a refused commit")
  },
  async "of concurrent commits for one version exactly one succeeds"({ service, key }) {
    const racing = Array.from({ length: 8 }, (_, at) => service.commit(key, commitOf(0, [`racer ${at}`])))
    const outcomes = await Promise.allSettled(racing)
    const landed = outcomes.flatMap(({ status }, at) => (status === "fulfilled" ? [`racer ${at}`] : []))
    claim(landed.length === 1, "exactly one of eight to land", landed)
    const record = await service.load(key)
    claimEqual([record?.version, textsOf(record?.history)], [1, landed], "the session")
  },
  async "the last messages are loaded with the count of earlier ones that are not blank"({ service, key }) {
    await service.commit(key, commitOf(0, ["a", " ", "b", "c", "", "d"]))
    for (const [last, texts, earlier] of [
      [2, ["", "d"], 3],
      [0, [], 4],
      [6, ["a", " ", "b", "c", "", "d"], 0],
      [99, ["a", " ", "b", "c", "", "d"], 0],
    ] as const) {
      const record = await service.load(key, { last })
      claimEqual([textsOf(record?.history), record?.earlier, record?.version], [texts, earlier, 1], `the last ${last}`)
    }
    claimEqual((await service.load(key))?.earlier, 0, "`earlier` of a whole history")
  },
  async "keys that differ in one part, or look alike when joined, are different sessions"({ service, agent }) {
    const keys: readonly SessionKey[] = [
      keyOf(agent),
      keyOf(`${agent} 2`),
      keyOf(agent, { audience: "group" }),
      keyOf(agent, { conversation: "Talk" }),
      keyOf(agent, { conversation: "talk " }),
      keyOf(agent, { conversation: `talk","private` }),
      keyOf(`${agent}","talk`, { conversation: "x" }),
      keyOf(agent, { conversation: `talk","x` }),
      keyOf("__proto__", { conversation: agent }),
    ]
    for (const [at, key] of keys.entries()) await service.commit(key, commitOf(0, [`text ${at}`]))
    for (const [at, key] of keys.entries())
      claimEqual(textsOf((await service.load(key))?.history), [`text ${at}`], `the words of ${JSON.stringify(key)}`)
  },
  async "every text and every JSON comes back as it was, in the order of its members"({ service, agent }) {
    const state = { texts: hardTexts, zebra: 1, apple: { deep: [null, 1e-7, -0.5, true] }, "10": "ten", "": "blank" }
    for (const [at, text] of hardTexts.entries()) {
      const key = keyOf(agent, { conversation: `${at} ${text}` })
      const message = said(text, {
        speaker: { id: text, name: text },
        prestart: [{ tool: text, args: { b: 1, a: [text] }, result: text }],
      })
      await service.commit(key, { expectVersion: 0, append: [message], state, jobs: [] })
      const record = await service.load(key)
      const found = JSON.stringify([record?.history, record?.state])
      claim(found === JSON.stringify([[message], state]), `the same JSON for ${JSON.stringify(text)}`, found)
    }
  },
  async "changes to a loaded session do not show when it is loaded again"({ service, key }) {
    const state = { hook: { list: [{ word: "kept" }] } }
    await service.commit(key, commitOf(0, ["kept"], { state }))
    await service.post(key, { id: "note", owner: "hook", payload: { word: "kept" } })
    for (let time = 0; time < 2; time++) {
      const record = await service.load(key)
      const { history, notes, state: found } = record ?? {}
      claimEqual([textsOf(history), found, notes?.length], [["kept"], state, 1], "the session")
      const changes = [record, history, history?.[0], history?.[0]?.speaker, notes, notes?.[0]?.payload, ...objectsIn(found)]
      for (const value of changes) spoil(value)
    }
  },
  async "changes to committed data do not change the store"({ service, key }) {
    const state = { list: ["kept"] }
    const append = [said("kept")]
    await service.commit(key, { expectVersion: 0, append, state, jobs: [] })
    state.list.push("late")
    append.push(said("late"))
    const early = await service.load(key)
    const before = JSON.stringify(early)
    try {
      Object.assign(early?.state ?? {}, { list: [] })
    } catch {
      // A frozen state cannot be changed, which is as good as a copy.
    }
    await service.commit(key, commitOf(1, ["next"], { state: { list: ["kept"] } }))
    const record = await service.load(key)
    claimEqual([record?.state, textsOf(record?.history)], [{ list: ["kept"] }, ["kept", "next"]], "the session")
    claim(before.includes("kept") && !before.includes("late"), "no late change in the store", before)
    claimEqual(textsOf(early?.history), ["kept"], "what was loaded earlier, after a commit")
  },
}

/** Rules of `post` and `messages`. */
export const noteRules: Rules<SessionStore> = {
  async "notes wait in order for the turn that takes them, without disturbing the session's version"({ service, key }) {
    const note = (id: string) => ({ id, owner: "hook", payload: { b: 1, a: id } })
    claimEqual(await service.post(key, note("2")), true, "posting to a new session")
    claimEqual(await service.post(key, note("1")), true, "posting a second note")
    const ofNotes = { version: 0, history: [], earlier: 0, state: {}, notes: [note("2"), note("1")] }
    claimEqual(await service.load(key), ofNotes, "a session of notes")
    await service.commit(key, commitOf(0, ["a"], { taken: ["2", "unknown"] }))
    await service.post(key, note("3"))
    const record = await service.load(key)
    claimEqual([record?.version, record?.notes], [1, [note("1"), note("3")]], "the version and the notes that wait")
  },
  async "a note is posted once for its id, also after it was taken, and in its own session only"({ service, agent, key }) {
    const note = { id: "once", owner: "hook", payload: {} }
    await service.post(key, note)
    claimEqual(await service.post(key, { ...note, payload: { other: true } }), false, "posting a known id")
    await service.commit(key, commitOf(0, ["a"], { taken: ["once"] }))
    claimEqual(await service.post(key, note), false, "posting a taken id")
    claimEqual((await service.load(key))?.notes, [], "the notes that wait")
    claimEqual(await service.post(keyOf(agent, { audience: "group" }), note), true, "posting it to another session")
  },
  async "messages match all criteria together; the newest are returned, oldest first (R13)"({ service, agent, key }) {
    const bob = { speaker: { id: "u2", name: "Bob" } }
    const append = [
      said("Tea in Hangzhou", { atMs: 10 }),
      said("coffee", { ...bob, atMs: 20 }),
      said("TEA again", { ...bob, atMs: 30, role: "assistant" }),
      said("杭州的茶", { atMs: 40 }),
      said("100% tea_", { atMs: 50 }),
    ]
    await service.commit(key, commitOf(0, [], { append }))
    await service.commit(keyOf(agent, { conversation: "other" }), commitOf(0, ["tea elsewhere"]))
    const expected: readonly (readonly [Partial<MessageFilter>, readonly number[]])[] = [
      [{}, [0, 1, 2, 3, 4]],
      [{ speaker: "u2" }, [1, 2]],
      [{ speaker: "Bob" }, [1, 2]],
      [{ role: "assistant" }, [2]],
      [{ fromMs: 20, beforeMs: 40 }, [1, 2]],
      [{ containing: "tea" }, [0, 2, 4]],
      [{ containing: "茶" }, [3]],
      [{ containing: "0% tea_" }, [4]],
      [{ containing: "%" }, [4]],
      [{ containing: "tea", speaker: "ann", fromMs: 11 }, [4]],
      [{ limit: 2 }, [3, 4]],
      [{ limit: 2, skip: 1 }, [2, 3]],
      [{ limit: 2, skip: 9 }, []],
      [{ limit: 0 }, []],
    ]
    for (const [filter, found] of expected) {
      const messages = await service.messages(key, { limit: 10, ...filter })
      const wanted = found.map((at) => append[at])
      claimEqual(messages, wanted, `the messages for ${JSON.stringify(filter)}`)
    }
    claimEqual(await service.messages(keyOf(agent, { conversation: "none" }), { limit: 5 }), [], "the messages of no session")
  },
}
