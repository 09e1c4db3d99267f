import fc from "fast-check"
import { expect } from "vitest"
import { type HistoryMessage, isHeard, isSpoken, type ServiceKey } from "../../src/core/conversation.ts"
import type { Store, StoreScope } from "../../src/memory/services/store/store.ts"
import { collect } from "./collect.ts"

const key: ServiceKey = { agent: "fay", conversation: "tree", audience: "group", user: "ann" }

/** A step of a script. A place names one of the turns that there are by then, counted in circles; the one after the last means none. */
export type Step =
  | { readonly act: "commit"; readonly turns: readonly number[]; readonly after?: number; readonly keepHeard?: boolean }
  | { readonly act: "append"; readonly words: number }
  | { readonly act: "forget"; readonly user: string }
  | { readonly act: "reopen" | "move" }

const users = ["ann", "bob", "cid"]

/** Scripts over one session. `words` and `turns` hold what decides a turn's messages. */
export function branchScripts(steps: number): fc.Arbitrary<readonly Step[]> {
  const words = fc.nat({ max: 11 })
  const commit = fc.record(
    {
      act: fc.constant("commit" as const),
      turns: fc.array(words, { maxLength: 3 }),
      after: fc.nat({ max: 30 }),
      keepHeard: fc.boolean(),
    },
    { requiredKeys: ["act", "turns"] },
  )
  const step = fc.oneof(
    { weight: 6, arbitrary: commit },
    { weight: 3, arbitrary: fc.record({ act: fc.constant("append" as const), words }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("forget" as const), user: fc.constantFrom(...users) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constantFrom("reopen" as const, "move" as const) }) },
  )
  return fc.array(step, { maxLength: steps })
}

/** A store under test, and how to close it and open it again, and how to open an empty one. */
export interface BranchingStore {
  readonly open: () => Promise<Store>
  readonly reopen: (store: Store) => Promise<Store>
}

/** Plays a script on a store and on an oracle: a tree of turns in a map. After each step both must hold the same. */
export async function playBranches(script: readonly Step[], { open, reopen }: BranchingStore): Promise<void> {
  const oracle = createOracle()
  let store = await open()
  for (const [at, step] of script.entries()) {
    if (step.act === "commit") {
      const after = step.after === undefined ? undefined : oracle.turnAt(step.after)
      const turns = step.turns.map((words, nth) => turnOf(`${at}.${nth}`, words))
      const { version = 0 } = (await store.load(key, { last: step.turns.length })) ?? {}
      const append = turns.flat()
      const { keepHeard = false } = step
      const behind = after === undefined ? {} : { after, keepHeard }
      await store.commit(key, { expectVersion: version, append, state: {}, jobs: [], ...behind })
      oracle.goOn(turns, after, keepHeard)
    } else if (step.act === "append") {
      const turn = turnOf(`${at}`, step.words).map((message) => ({ ...message, unanswered: true as const }))
      await store.append(key, turn)
      oracle.goOn([turn], undefined)
    } else if (step.act === "forget") {
      await store.forget({ agent: key.agent, user: step.user })
      oracle.forget(step.user)
    } else if (step.act === "reopen") store = await reopen(store)
    else await move(store, { agent: key.agent })
    await compare(store, oracle)
  }
  expect(await store.check()).toMatchObject({ problems: [] })
  await store.close()
}

/** Exports all, forgets all, and imports all. */
async function move(store: Store, scope: StoreScope): Promise<void> {
  const lines = await collect(store.export(scope))
  await store.forget(scope)
  await store.import(lines)
}

async function compare(store: Store, oracle: ReturnType<typeof createOracle>): Promise<void> {
  const path = oracle.path()
  const history = path.flatMap(({ messages }) => messages)
  expect((await store.load(key))?.history ?? []).toEqual(history)
  const newest = await store.load(key, { last: 2 })
  expect(newest?.history ?? []).toEqual(history.slice(-2))
  expect(newest?.earlier ?? 0).toBe(history.slice(0, -2).filter(isSpoken).length)
  expect(await store.messages(key, { limit: 99 })).toEqual(history)
  expect(await store.branches(key)).toEqual(oracle.branches())
}

/** A turn of one or two messages by one of three users; some are blank. */
function turnOf(turnId: string, words: number): readonly HistoryMessage[] {
  const user = users[words % 3] ?? "ann"
  const said = { speaker: { id: user, name: user }, turnId, atMs: 1 }
  const first: HistoryMessage = { ...said, role: "user", text: words % 4 === 0 ? " " : `${user} in ${turnId}` }
  const answer: HistoryMessage = { ...said, role: "assistant", speaker: { id: "fay", name: "Fay" }, text: `answer of ${turnId}` }
  return words % 2 === 0 ? [first] : [first, answer]
}

interface Turn {
  readonly messages: readonly HistoryMessage[]
  parent: string | undefined
}

function createOracle() {
  const turns = new Map<string, Turn>()
  let end: string | undefined
  const path = (): readonly Turn[] => {
    const found: Turn[] = []
    for (let at = end; at !== undefined; at = turns.get(at)?.parent) found.unshift(turns.get(at) as Turn)
    return found
  }
  const remove = (id: string): void => {
    const parent = turns.get(id)?.parent
    for (const turn of turns.values()) if (turn.parent === id) turn.parent = parent
    if (end === id) end = parent
    turns.delete(id)
  }
  return {
    path,
    turnAt(place: number): string | null {
      const ids = [...turns.keys()]
      return ids[place % (ids.length + 1)] ?? null
    },
    goOn(added: readonly (readonly HistoryMessage[])[], after: string | null | undefined, keepHeard = false): void {
      const before = path()
      if (after !== undefined) end = after ?? undefined
      const stay = new Set(path())
      const leaving = before.filter((turn) => !stay.has(turn)).slice(added.length > 0 ? 1 : 0)
      const heard = leaving.filter((turn) => keepHeard && turn.messages.every(isHeard))
      for (const { messages } of heard) remove(messages[0]?.turnId ?? "")
      for (const messages of [...added, ...heard.map((turn) => turn.messages)]) {
        const { turnId = "" } = messages[0] ?? {}
        turns.set(turnId, { messages, parent: end })
        end = turnId
      }
    },
    forget(user: string): void {
      for (const [id, gone] of [...turns]) {
        if (!gone.messages.some(({ role, speaker }) => role === "user" && speaker.id === user)) continue
        remove(id)
      }
    },
    branches() {
      const shown = new Set(path())
      return [...turns].map(([turnId, turn]) => {
        return { turnId, parent: turn.parent, isAside: !shown.has(turn), messages: turn.messages }
      })
    },
  }
}
