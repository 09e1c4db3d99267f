import { expect } from "vitest"
import type { HistoryMessage, ServiceKey } from "../../src/core/conversation.ts"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { Store } from "../../src/memory/services/store/store.ts"

const key: ServiceKey = { agent: "fay", conversation: "chat", audience: "private", user: "ann" }

export function saidBy(user: string, text: string): HistoryMessage {
  return { role: "user", text, speaker: { id: user, name: user }, turnId: `turn of ${text}`, atMs: 1 }
}

export function turnAt(expectVersion: number, text: string) {
  return { expectVersion, append: [saidBy("ann", text)], state: { seen: [text] }, jobs: [] }
}

/** What a process that knows a session must find when another one writes to it. */
export const sharedSessionScenes: readonly {
  readonly name: string
  readonly play: (here: Store, there: Store) => Promise<void>
}[] = [
  {
    name: "is read again where another process wrote to it, also one that forgot it and began it anew up to the same version",
    async play(here, there) {
      await here.commit(key, turnAt(0, "a"))
      await there.commit(key, turnAt(1, "b"))
      expect(textsOf(await here.load(key))).toEqual(["a", "b"])
      await there.forget({ agent: "fay", conversation: "chat" })
      await there.commit(key, turnAt(0, "c"))
      await there.commit(key, turnAt(1, "d"))
      const record = { version: 2, history: [saidBy("ann", "c"), saidBy("ann", "d")], state: { seen: ["d"] } }
      expect(await here.load(key)).toMatchObject(record)
      await there.forget({ agent: "fay", user: "ann" })
      expect(await here.load(key)).toBeUndefined()
    },
  },
  {
    name: "is read again where this process has written to it without having seen what another one wrote",
    async play(here, there) {
      await here.commit(key, turnAt(0, "a"))
      await there.commit(key, turnAt(1, "b"))
      await here.commit(key, turnAt(2, "c"))
      expect(textsOf(await here.load(key))).toEqual(["a", "b", "c"])
      await there.forget({ agent: "fay", conversation: "chat" })
      for (const [version, text] of ["d", "e", "f"].entries()) await there.commit(key, turnAt(version, text))
      await here.commit(key, turnAt(3, "g"))
      expect(textsOf(await here.load(key))).toEqual(["d", "e", "f", "g"])
    },
  },
  {
    name: "is completed where words were appended, by this process or another, before and while it is written",
    async play(here, there) {
      await here.append(key, [saidBy("ann", "a")])
      expect(textsOf(await here.load(key))).toEqual(["a"])
      await there.append(key, [saidBy("bob", "b")])
      await here.append(key, [saidBy("ann", "c")])
      expect(textsOf(await here.load(key))).toEqual(["a", "b", "c"])
      await there.append(key, [saidBy("bob", "d")])
      await here.commit(key, turnAt(0, "e"))
      await there.append(key, [saidBy("bob", "f")])
      expect(textsOf(await here.load(key))).toEqual(["a", "b", "c", "d", "e", "f"])
      await Promise.all([0, 1, 2, 3].map((at) => (at % 2 ? here : there).append(key, [saidBy("bob", `${at}`)])))
      const record = await here.load(key)
      expect(record?.history.map(({ text }) => text).sort()).toEqual(["0", "1", "2", "3", "a", "b", "c", "d", "e", "f"])
      expect(await there.load(key)).toEqual(record)
    },
  },
  {
    name: "keeps a state that is whole, while both commit at once and it is forgotten in between",
    async play(here, there) {
      const stores = [here, there]
      const talking = [0, 1, 2, 3].map(async (talker) => {
        for (let turn = 0; turn < 12; turn++) {
          const store = stores[talker % 2] ?? here
          if (turn === 6 && talker === 3) await store.forget({ agent: "fay", conversation: "chat" })
          await addItem(store, `${talker} ${turn}`)
        }
      })
      await Promise.all(talking)
      const [first, ...others] = await Promise.all([here.load(key), there.load(key), here.load(key, { last: 99 })])
      expect(first?.version).toBeGreaterThanOrEqual(6)
      for (const other of others) expect(other).toEqual(first)
    },
  },
]

/** Commits an item after those that are there, however often others come first; what is there must fit together. */
async function addItem(store: Store, id: string): Promise<void> {
  for (;;) {
    const record = await store.load(key)
    for (const state of [record?.state, (await store.load(key, { last: 0 }))?.state]) checkItems(state)
    const { version = 0, state = {} } = record ?? {}
    const items = (state.items as readonly object[] | undefined) ?? [{ id: "first", words: "and more words ".repeat(1_200) }]
    const next = { last: id, items: [...items, { id }], count: items.length + 1 }
    try {
      await store.commit(key, { expectVersion: version, append: [saidBy("ann", id)], state: next, jobs: [] })
      return
    } catch (error) {
      if (!PromptStrataError.isInstance(error) || error.code !== "session-conflict") throw error
    }
  }
}

function checkItems(state: Readonly<Record<string, unknown>> | undefined): void {
  if (state === undefined) return
  const items = state.items as readonly { readonly id: string }[]
  expect([items.length, items.at(-1)?.id, items[0]?.id]).toEqual([state.count, state.last, "first"])
}

function textsOf(record: { readonly history: readonly { readonly text: string }[] } | undefined): readonly string[] {
  return record?.history.map(({ text }) => text) ?? []
}
