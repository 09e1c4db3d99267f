import { expect } from "vitest"
import type { HistoryMessage, ServiceKey } from "../../src/core/conversation.ts"
import { mulberry32 } from "../../src/core/mulberry.ts"
import type { MemoryCursor, StoredMemory } from "../../src/memory/services/store/records.ts"
import type { Store, StoreScope } from "../../src/memory/services/store/store.ts"
import { collect } from "./collect.ts"
import { type Dice, diceOf } from "./dice.ts"

/** One call of a store. It gets what the calls before it returned for this store. */
type Call = (store: Store, seen: Seen) => Promise<unknown>

/** Of each scope, what a reader of its changes knows: it goes on from its cursor, and begins anew when it is told to. */
type Seen = Map<string, { readonly cursor: MemoryCursor; readonly known: Map<string, StoredMemory> }>

const users = ["ann", "bob", "cid"] as const
const conversations = ["talk", "club", "den"] as const

/** What a script has written so far. Its names are few, so that rows come close to each other. */
interface Written {
  readonly memories: string[]
  readonly turns: string[]
}

/**
 * Does the same random work with every store: turns, branches, heard words, notes, jobs, memories, facts, receipts, bytes, and forgetting
 * of every kind. Each answer and each export must be the same in all of them, and nothing of a user's is left where they were forgotten.
 */
export async function workAlike(seed: number, steps: number, stores: readonly Store[]): Promise<void> {
  const dice = diceOf(mulberry32(seed))
  const written: Written = { memories: [], turns: [] }
  const seen = stores.map((): Seen => new Map())
  for (let step = 0; step < steps; step++) {
    const { name, call } = nextCall(dice, step, written)
    const [answer, ...others] = await Promise.all(stores.map((store, at) => answerOf(call, store, seen[at] as Seen)))
    for (const other of others) expect(other, `${name} at step ${step} of seed ${seed}`).toEqual(answer)
    if (!/forget|branch|move/.test(name) && step < steps - 1) continue
    const [lines, ...copies] = await Promise.all(stores.map((store) => collect(store.export({ agent: "fay" }))))
    for (const copy of copies) expect(copy, `the export after ${name} at step ${step} of seed ${seed}`).toEqual(lines)
  }
}

/** The result of a call, or the code of its error. */
async function answerOf(call: Call, store: Store, seen: Seen): Promise<unknown> {
  try {
    return { value: await call(store, seen) }
  } catch (error) {
    return { code: (error as { readonly code?: string }).code ?? String(error) }
  }
}

function nextCall(dice: Dice, step: number, written: Written): { readonly name: string; readonly call: Call } {
  const kinds = {
    turn,
    hear,
    branch,
    remember,
    again,
    tell,
    look,
    keepReceipt,
    keepBytes,
    forgetScope,
    forgetIds,
    moveHouse,
    doJobs,
  }
  const often = ["turn", "turn", "turn", "remember", "remember", "remember", "again", "look"] as const
  const name = dice.chance(0.5) ? dice.pick(...often) : (dice.pick(...Object.keys(kinds)) as keyof typeof kinds)
  return { name, call: kinds[name](dice, step, written) }
}

function keyOf(dice: Dice): ServiceKey {
  return {
    agent: dice.chance(0.9) ? "fay" : "gil",
    conversation: dice.pick(...conversations),
    audience: dice.pick("private", "group"),
    user: dice.pick(...users),
  }
}

function messageOf(dice: Dice, { user }: ServiceKey, turnId: string): HistoryMessage {
  const runs = [{ id: "1", step: 0, tool: "search", args: {}, result: "found" }]
  return {
    role: "user",
    text: dice.pick(`words of ${turnId}`, `"recalled" and "runs" of ${turnId}`, " "),
    speaker: { id: user, name: user },
    turnId,
    atMs: dice.below(4),
    ...(dice.chance(0.3) ? { recalled: ["a memory"] } : {}),
    ...(dice.chance(0.2) ? { runs } : {}),
  }
}

/** A state with words, switches and counts, and sometimes a turn that waits for an approval. */
function stateOf(dice: Dice, { user }: ServiceKey): Record<string, unknown> {
  const approval = { speaker: { id: user, name: user }, calls: [{ askedMs: dice.below(4) }] }
  return { on: true, turns: dice.below(9), mood: user, ...(dice.chance(0.3) ? { approval } : {}) }
}

function commitOf(
  dice: Dice,
  step: number,
  written: Written,
  after: { readonly after?: string | null; readonly keepHeard?: boolean },
): Call {
  const key = keyOf(dice)
  const turnId = `t${step}`
  written.turns.push(turnId)
  const messages = [messageOf(dice, key, turnId), { ...messageOf(dice, key, turnId), role: "assistant" as const }]
  const append = messages.slice(0, dice.below(3))
  const job = { id: `${key.agent} job ${dice.pick(step, step - 3)}`, kind: "work", key, turnId, atMs: step, payload: {} }
  const state = stateOf(dice, key)
  const isLate = dice.chance(0.1)
  return async (store) => {
    const { version = 0, notes = [] } = (await store.load(key)) ?? {}
    const expectVersion = isLate ? version + 1 : version
    const taken = notes.slice(0, 1).map(({ id }) => id)
    return store.commit(key, { expectVersion, append, state, jobs: step % 2 === 0 ? [job] : [], taken, ...after })
  }
}

function turn(dice: Dice, step: number, written: Written): Call {
  return commitOf(dice, step, written, {})
}

function branch(dice: Dice, step: number, written: Written): Call {
  return commitOf(dice, step, written, { after: dice.pick(null, ...written.turns), keepHeard: dice.chance(0.5) })
}

/** Words without an answer, or a note. */
function hear(dice: Dice, step: number, written: Written): Call {
  const key = keyOf(dice)
  const message = { ...messageOf(dice, key, `t${step}`), unanswered: true as const }
  written.turns.push(message.turnId)
  const note = { id: `note ${dice.below(9)}`, owner: "hook", payload: { of: key.user } }
  return dice.chance(0.5) ? (store) => store.append(key, [message]) : (store) => store.post(key, note)
}

function remember(dice: Dice, step: number, written: Written): Call {
  const key = keyOf(dice)
  const { user } = key
  const [id, turnId] = [`m${step}`, dice.pick(`t${step}`, ...written.turns)]
  const kind = dice.pick("dialogue" as const, "dialogue" as const, "insight" as const, "note" as const)
  const sources =
    kind === "insight" ? [dice.pick("none", ...written.memories), dice.pick("none", ...written.memories)] : undefined
  const judgedIn = dice.chance(0.3) ? dice.pick("none", ...written.turns) : undefined
  const said = { text: `words of ${turnId}`, speaker: { id: user, name: user }, atMs: dice.below(4), turnId, turn: step }
  const memory = { ...key, id: dice.chance(0.95) ? id : dice.pick("m", ...written.memories), kind, ...said } as const
  const whole: StoredMemory = { ...memory, ...(sources ? { sources } : {}), ...(judgedIn === undefined ? {} : { judgedIn }) }
  written.memories.push(id)
  const supersedes = dice.chance(0.3) ? [dice.pick("none", ...written.memories)] : []
  const options = {
    hash: `hash ${dice.below(12)}`,
    supersedes,
    ofTurn: dice.chance(0.2),
    key: dice.chance(0.95) ? key : keyOf(dice),
  }
  return (store) => store.memories.put(whole, options)
}

/** Uses memories, or gives them vectors. */
function again(dice: Dice, step: number, { memories }: Written): Call {
  const key = keyOf(dice)
  const ids = [dice.pick("none", ...memories), dice.pick("none", ...memories)]
  const vectors = ids.map((memoryId) => ({ memoryId, model: dice.pick("a", "b"), values: Float32Array.of(step, 1) }))
  if (dice.chance(0.5)) return (store) => store.memories.putVectors(vectors, key)
  const atMs = dice.below(30) * 86_400_000
  return (store) => store.memories.markUsed(ids, { atMs, key })
}

/** Adds facts about a user. */
function tell(dice: Dice, step: number, { turns }: Written): Call {
  const key = keyOf(dice)
  const { conversation, audience } = key
  const turnId = dice.pick(`t${step}`, ...turns)
  const statement = { name: "city", value: `of ${key.user}`, confidence: 0.5, atMs: step, turnId, conversation, audience }
  const [isLate, ofTurn] = [dice.chance(0.1), dice.chance(0.2)]
  return async (store) => {
    const { version } = await store.users.load(key)
    return store.users.append([statement], { turnId, expectVersion: isLate ? version + 1 : version, ofTurn, key })
  }
}

function keepReceipt(dice: Dice, step: number, { turns }: Written): Call {
  const [key, turnId] = [keyOf(dice), dice.pick("none", ...turns)]
  const kind = dice.pick("importance", "profile")
  const outcome = dice.pick("ok" as const, "failed" as const)
  const receipt = { key, turnId, kind, outcome, attempt: 1 + dice.below(3), startedMs: dice.below(4), durationMs: step } as const
  const model = dice.chance(0.5) ? { model: "small" } : {}
  const ofTurn = dice.chance(0.2)
  return (store) => store.receipts.put({ ...receipt, ...model }, { ofTurn })
}

/** Keeps bytes, and says their name. */
function keepBytes(dice: Dice, step: number, written: Written): Call {
  const key = keyOf(dice)
  const bytes = Uint8Array.of(dice.below(4))
  const message = messageOf(dice, key, `t${step}`)
  const isNamed = dice.chance(0.5)
  written.turns.push(message.turnId)
  return async (store) => {
    const { id } = await store.blobs.put(bytes, key)
    if (isNamed) await store.append(key, [{ ...message, text: `see ${id}` }])
    return [id, await store.blobs.get(id, { ...key, audience: "group" })]
  }
}

/** Every read, with the same key. */
function look(dice: Dice, _: number, { memories, turns }: Written): Call {
  const key = keyOf(dice)
  const ids = [...memories].reverse()
  const [turnId, id] = [dice.pick("none", ...turns), dice.pick("none", ...memories)]
  const [limit, last] = [dice.below(6), dice.below(4)]
  return async (store, seen) => {
    const { users, receipts, memories: records } = store
    return [
      await store.load(key, { last }),
      await store.branches(key),
      await store.messages(key, { limit, containing: "words", skip: last, speaker: key.user }),
      await readChanges(store, key, seen),
      await records.get(id, key),
      await records.recent(key, { limit, kinds: ["dialogue", "note"] }),
      await records.recent(key, { limit: 20 }),
      await records.vectors(ids, "a", key),
      await records.withoutVector("a", key, limit),
      await users.load(key),
      await receipts.ofTurn(turnId, key),
      (await receipts.since(key, 2)).map((receipt) => JSON.stringify(receipt)).sort(),
      await collect(store.export({ agent: key.agent, user: key.user })),
      await collect(store.export({ agent: key.agent, conversation: key.conversation })),
    ]
  }
}

/** Reads on from where this reader was, page by page, and returns all that it knows of the key's scope. */
async function readChanges({ memories }: Store, key: ServiceKey, seen: Seen): Promise<readonly StoredMemory[]> {
  const scope = JSON.stringify([key.agent, key.audience, key.audience === "private" ? key.user : key.conversation])
  const limit = 3
  let { cursor: after, known } = seen.get(scope) ?? { known: new Map<string, StoredMemory>() }
  for (;;) {
    const page = await memories.changes(key, { after, limit })
    after = page.cursor
    if (page.reset) known = new Map()
    for (const memory of page.memories) known.set(memory.id, memory)
    if (page.memories.length < limit) break
  }
  seen.set(scope, { cursor: after, known })
  return [...known.values()].sort((a, b) => a.id.localeCompare(b.id))
}

function forgetScope(dice: Dice): Call {
  const [agent, user, conversation] = [dice.chance(0.9) ? "fay" : "gil", dice.pick(...users), dice.pick(...conversations)]
  const scope: StoreScope = dice.chance(0.5) ? { agent, user } : dice.chance(0.9) ? { agent, conversation } : { agent }
  return async (store) => {
    const report = await store.forget(scope)
    expect(await collect(store.export(scope)), `what is left of ${JSON.stringify(scope)}`).toEqual([])
    const { problems, counts } = await store.check()
    // Only databases name dead letters among their problems.
    return { report, problems: problems.filter((problem) => !problem.includes("failed for good")), counts }
  }
}

function forgetIds(dice: Dice, step: number, { memories }: Written): Call {
  const key = keyOf(dice)
  const ids = Array.from({ length: 1 + dice.below(6) }, () => dice.pick("none", ...memories))
  const inTurn = dice.chance(0.5)
  return (store) => store.memories.forget(ids, { atMs: step, inTurn, key })
}

/** Takes an export, loses and repeats some of its lines, and puts the rest back: behind a forgotten agent, or beside what is there. */
function moveHouse(dice: Dice): Call {
  const isEmptied = dice.chance(0.5)
  const copies = Array.from({ length: 97 }, () => dice.pick(0, 1, 1, 1, 1, 2))
  return async (store) => {
    const lines = await collect(store.export({ agent: "fay" }))
    if (isEmptied) await store.forget({ agent: "fay" })
    return store.import(lines.flatMap((line, at) => Array<string>(copies[at % copies.length] ?? 1).fill(line)))
  }
}

/** Does the jobs that wait; some fail for good. */
function doJobs(dice: Dice): Call {
  const agent = dice.chance(0.9) ? "fay" : "gil"
  const isBad = (id: string): boolean => id.endsWith("7") || id.endsWith("2")
  return async ({ jobs }) => {
    const done: string[] = []
    const work = async ({ id }: { readonly id: string }): Promise<void> => {
      if (isBad(id)) throw new Error(`no ${id}`)
      done.push(id)
    }
    await jobs.start({ work }, { agent })
    await jobs.idle()
    await jobs.close({ drainMs: 0, agent })
    const dead = (await jobs.dead()).map(({ job, attempts, error }) => [job.id, attempts, error])
    return { done: done.sort(), dead: dead.sort() }
  }
}
