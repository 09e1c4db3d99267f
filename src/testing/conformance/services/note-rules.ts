import type { MessageFilter, SessionStore } from "../../../services/store/session-store.ts"
import { claimEqual } from "./equal-json.ts"
import { commitOf, keyOf, said } from "./samples.ts"
import type { Rule } from "./service-check.ts"

/** Rules of `post` and `messages`. */
export const noteRules: readonly Rule<SessionStore>[] = [
  {
    name: "notes wait in order for the turn that takes them, without disturbing the session's version",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const note = (id: string) => ({ id, owner: "hook", payload: { b: 1, a: id } })
      claimEqual(await service.post(key, note("2")), true, "posting to a new session")
      claimEqual(await service.post(key, note("1")), true, "posting a second note")
      claimEqual(
        await service.load(key),
        { version: 0, history: [], earlier: 0, state: {}, notes: [note("2"), note("1")] },
        "a session of notes",
      )
      await service.commit(key, commitOf(0, ["a"], { taken: ["2", "unknown"] }))
      await service.post(key, note("3"))
      const record = await service.load(key)
      claimEqual([record?.version, record?.notes], [1, [note("1"), note("3")]], "the version and the notes that wait")
    },
  },
  {
    name: "a note is posted once for its id, also after it was taken, and in its own session only",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const note = { id: "once", owner: "hook", payload: {} }
      await service.post(key, note)
      claimEqual(await service.post(key, { ...note, payload: { other: true } }), false, "posting a known id")
      await service.commit(key, commitOf(0, ["a"], { taken: ["once"] }))
      claimEqual(await service.post(key, note), false, "posting a taken id")
      claimEqual((await service.load(key))?.notes, [], "the notes that wait")
      claimEqual(await service.post(keyOf(agent, { audience: "group" }), note), true, "posting it to another session")
    },
  },
  {
    name: "messages are found by every criterion together, the newest so many, oldest first (R13)",
    async verify({ service, agent }) {
      const key = keyOf(agent)
      const bob = { speaker: { id: "u2", name: "Bob" } }
      const append = [
        said("Tea in Hangzhou", { atMs: 10 }),
        said("coffee", { ...bob, atMs: 20 }),
        said("TEA again", { ...bob, atMs: 30, role: "assistant" }),
        said("杭州的茶", { atMs: 40 }),
        said("100% tea_", { atMs: 50 }),
      ]
      await service.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
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
        claimEqual(
          messages,
          found.map((at) => append[at]),
          `the messages for ${JSON.stringify(filter)}`,
        )
      }
      claimEqual(await service.messages(keyOf(agent, { conversation: "none" }), { limit: 5 }), [], "the messages of no session")
    },
  },
]
