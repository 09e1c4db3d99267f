import type { Audience, ServiceKey } from "../../../core/conversation.ts"
import type { StoredMemory } from "../../../memory/services/store/records.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { seededRandom } from "../../deterministic-ports.ts"
import { claim, claimEqual, claimRejects } from "../claims.ts"
import { commitOf, idsOf, keep, keyOf, memoryOf, type Rules } from "./samples.ts"

/** Rules of storing memories. */
export const memoryRules: Rules<Store> = {
  async "a memory is read as it was stored; recent memories are ordered by time, then by id"({ service, key }) {
    const rest = { sources: ["a"], untrusted: true, turn: 3, kind: "insight", stability: 2.5, usedAtMs: 7 } as const
    const whole = memoryOf("c", key, { atMs: 5, importance: 7, ...rest })
    await keep(service, key, whole, memoryOf("b", key, { atMs: 9 }), memoryOf("a", key, { atMs: 9, kind: "note" }))
    claimEqual(await service.memories.get("c", key), whole, "the memory")
    claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })), ["c", "a", "b"], "the recent ones")
    claimEqual(idsOf(await service.memories.recent(key, { limit: 2 })), ["a", "b"], "the newest two")
    const ofKinds = await service.memories.recent(key, { limit: 9, kinds: ["note", "insight"] })
    claimEqual(idsOf(ofKinds), ["c", "a"], "those of two kinds")
    claimEqual(await service.memories.get("none", key), undefined, "an unknown one")
  },
  async "an id or a hash is stored once for each user, audience and group"({ service, agent, key }) {
    const put = (id: string, at: typeof key, hash = "same") => service.memories.put(memoryOf(id, at), { hash, key: at })
    const group = keyOf(agent, { audience: "group" })
    claimEqual(await put("a", key), { stored: true, id: "a" }, "the first")
    claimEqual(await put("a", key, "other"), { stored: false, id: "a" }, "a known id")
    claimEqual(await put("b", key), { stored: false, id: "a" }, "a known hash")
    const elsewhere = keyOf(agent, { conversation: "elsewhere" })
    claimEqual(await put("c", elsewhere), { stored: false, id: "a" }, "a known hash in another private talk")
    for (const [id, other] of [
      ["d", keyOf(agent, { user: "bob" })],
      ["e", group],
      ["f", { ...group, conversation: "another group" }],
      ["g", { ...group, user: "bob" }],
    ] as const)
      claimEqual(await put(id, other), { stored: true, id }, `a hash known elsewhere, for ${id}`)
    claimEqual(await put("a", keyOf(`${agent} 2`)), { stored: true, id: "a" }, "an id that another agent has")
    claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })).sort(), ["a", "e", "f"], "all of the user's")
  },
  async "words that are said again keep the other times too, the newest eight, each once"({ service, agent }) {
    const key = keyOf(agent, { audience: "group" })
    const say = (id: string, atMs: number) =>
      service.memories.put(memoryOf(id, key, { atMs, importance: 7 }), { hash: "same", key })
    await say("a", 50)
    const { cursor } = await service.memories.changes(key, { limit: 9 })
    claimEqual(await say("b", 20), { stored: false, id: "a" }, "the same words earlier")
    for (const time of [90, 90, 50, 70]) await say("b", time)
    const { againAtMs, ...rest } = (await service.memories.get("a", key)) ?? {}
    claimEqual(againAtMs, [20, 70, 90], "the other times")
    claimEqual(rest, memoryOf("a", key, { atMs: 50, importance: 7 }), "all else of the memory")
    const changes = await service.memories.changes(key, { after: cursor, limit: 9 })
    claimEqual(changes.reset, false, "whether readers begin again")
    claimEqual(changes.memories, [{ ...rest, againAtMs }], "what readers of changes get")
    for (let atMs = 100; atMs < 110; atMs++) await say("c", atMs)
    claimEqual((await service.memories.get("a", key))?.againAtMs, [102, 103, 104, 105, 106, 107, 108, 109], "the newest eight")
    claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })), ["a"], "what holds")
  },
  async "a use of memories is kept once, makes them more stable, and tells readers of changes"({ service, agent }) {
    const key = keyOf(agent, { audience: "group" })
    const dayMs = 86_400_000
    await keep(service, key, memoryOf("a", key, { atMs: 0, importance: 7 }), memoryOf("b", key))
    const { cursor } = await service.memories.changes(key, { limit: 9 })
    const use = (ids: readonly string[], day: number, at = key) => service.memories.markUsed(ids, { atMs: day * dayMs, key: at })
    const ofA = async () => (await service.memories.get("a", key)) ?? memoryOf("none", key)
    await use(["a", "unknown"], 30)
    const { stability: once = 1, usedAtMs, ...rest } = await ofA()
    claim(usedAtMs === 30 * dayMs && once > 5 && once < 6, "the use after 30 days, and a stability of 5 to 6 days", once)
    claimEqual(rest, memoryOf("a", key, { atMs: 0, importance: 7 }), "all else of the memory")
    for (const day of [30, 29]) await use(["a"], day)
    claimEqual((await ofA()).stability, once, "the stability after a use that is known or earlier")
    const changes = await service.memories.changes(key, { after: cursor, limit: 9 })
    claimEqual([changes.reset, idsOf(changes.memories)], [false, ["a"]], "what readers of changes get")
    await use(["a"], 60, keyOf(agent, { user: "bob" }))
    claimEqual((await ofA()).usedAtMs, 30 * dayMs, "the last use after one with a foreign key")
    await use(["a"], 60, { ...key, user: "bob" })
    const { stability: twice = 1 } = await ofA()
    claim(twice > 2 * once, "a later use in the group to make it more than twice as stable", [once, twice])
  },
  async "a superseded memory stays as history, is not recent, and may be stored again"({ service, key, group }) {
    await keep(service, key, memoryOf("old", key))
    await keep(service, group, memoryOf("in the group", group))
    const supersedes = ["old", "in the group", "unknown"]
    await service.memories.put(memoryOf("new", key), { hash: "new", supersedes, key })
    claimEqual((await service.memories.get("old", key))?.supersededBy, "new", "what took the old one's place")
    claimEqual((await service.memories.get("in the group", key))?.supersededBy, undefined, "what was said in a group")
    claimEqual(idsOf(await service.memories.recent(key, { limit: 9 })).sort(), ["in the group", "new"], "what holds")
    const again = await service.memories.put(memoryOf("old again", key), { hash: "hash of old", key })
    claimEqual(again.stored, true, "keeping again what was superseded")
  },
  async "a memory of a turn is kept only while the history has the turn and what it rests on"({ service, agent, key }) {
    const put = (id: string, rest: Partial<StoredMemory>, at = key) =>
      service.memories.put(memoryOf(id, at, rest), { hash: id, ofTurn: true, key: at })
    const [tea, milk] = [{ turnId: "turn of tea" }, { turnId: "turn of milk" }]
    await claimRejects(() => put("early", tea), "aborted", "a memory of a turn that is not there")
    await service.commit(key, commitOf(0, ["tea"]))
    claimEqual(await put("a", tea), { stored: true, id: "a" }, "a memory of a turn that is there")
    const rests = { ...tea, kind: "insight" } as const
    const baseless = () => put("b", { ...rests, sources: ["a", "gone"] })
    await claimRejects(baseless, "aborted", "an insight that rests on a memory that is not there")
    const sound = await put("c", { ...rests, sources: ["a", "a"] })
    claimEqual(sound, { stored: true, id: "c" }, "an insight that rests on one that is there")
    const elsewhere = keyOf(agent, { conversation: "elsewhere" })
    await claimRejects(() => put("d", tea, elsewhere), "aborted", "a memory of a turn of another conversation")
    await service.commit(key, commitOf(1, ["milk"], { after: null }))
    await claimRejects(() => put("e", tea), "aborted", "a memory of a turn that is set aside")
    await service.forget({ agent, conversation: key.conversation })
    await claimRejects(() => put("f", milk), "aborted", "a memory of a turn that was forgotten")
    claimEqual(await service.memories.recent(key, { limit: 9 }), [], "the memories")
  },
  async "a memory of another key is refused"({ service, key }) {
    for (const rest of [{ user: "bob" }, { conversation: "other" }, { audience: "group" as const }, { agent: "other" }]) {
      const put = () => service.memories.put(memoryOf("a", { ...key, ...rest }), { hash: "h", key })
      await claimRejects(put, "usage", `a memory of ${JSON.stringify(rest)}`)
    }
    claimEqual(await service.memories.recent(key, { limit: 9 }), [], "what is kept")
  },
  async "changes come in order and in pages, and again when a memory is superseded"({ service, key }) {
    await keep(service, key, memoryOf("a", key), memoryOf("b", key), memoryOf("c", key))
    const first = await service.memories.changes(key, { limit: 2 })
    claimEqual([idsOf(first.memories), first.reset], [["a", "b"], false], "the first page")
    const second = await service.memories.changes(key, { after: first.cursor, limit: 2 })
    claimEqual(idsOf(second.memories), ["c"], "the second page")
    await service.memories.put(memoryOf("d", key), { hash: "d", supersedes: ["a"], key })
    const third = await service.memories.changes(key, { after: second.cursor, limit: 9 })
    claimEqual(idsOf(third.memories).sort(), ["a", "d"], "what changed since")
    claimEqual(third.memories.find(({ id }) => id === "a")?.supersededBy, "d", "the superseded one")
    const last = await service.memories.changes(key, { after: third.cursor, limit: 9 })
    claimEqual([last.memories, last.reset, last.cursor], [[], false, third.cursor], "reading on when nothing changed")
  },
  async "a group's changes tell of a memory again when it is superseded"({ service, group }) {
    await keep(service, group, memoryOf("a", group), memoryOf("b", group))
    const { cursor } = await service.memories.changes(group, { limit: 9 })
    await service.memories.put(memoryOf("c", group), { hash: "c", supersedes: ["a"], key: group })
    const next = await service.memories.changes(group, { after: cursor, limit: 9 })
    claimEqual(idsOf(next.memories).sort(), ["a", "c"], "what changed in the group")
  },
  async "a reader of changes starts over after a deletion"({ service, agent, key }) {
    const other = keyOf(agent, { conversation: "other" })
    await keep(service, key, memoryOf("a", key))
    await keep(service, other, memoryOf("b", other))
    const { cursor } = await service.memories.changes(key, { limit: 9 })
    await service.forget({ agent, conversation: "talk" })
    const changes = await service.memories.changes(key, { after: cursor, limit: 9 })
    claimEqual([changes.reset, idsOf(changes.memories)], [true, ["b"]], "the changes after a deletion")
    const next = await service.memories.changes(key, { after: changes.cursor, limit: 9 })
    claimEqual([next.reset, next.memories], [false, []], "the changes after those")
  },
}

const sortedIds = (rows: readonly { readonly id: string }[]): string[] => idsOf(rows).sort()

/** Rules of who sees what. */
export const visibilityRules: Rules<Store> = {
  async "private memories are seen by their user only, group memories by the group and their user"({ service, agent, group }) {
    const ann = keyOf(agent)
    const bobThere = { ...group, user: "bob" }
    await keep(service, ann, memoryOf("secret", ann))
    await keep(service, group, memoryOf("ann aloud", group))
    await keep(service, bobThere, memoryOf("bob aloud", bobThere))
    const seen: readonly (readonly [string, ServiceKey, readonly string[]])[] = [
      ["Ann in private", ann, ["ann aloud", "secret"]],
      ["Ann in the group", group, ["ann aloud", "bob aloud"]],
      ["Bob in the group", bobThere, ["ann aloud", "bob aloud"]],
      ["Bob in private", keyOf(agent, { user: "bob" }), ["bob aloud"]],
      ["another group", { ...group, conversation: "pub" }, []],
      // JavaScript may pass an audience that is none.
      ["an unclear audience", { ...group, audience: "Group" as Audience }, ["ann aloud", "bob aloud"]],
      ["a private talk named like the group", keyOf(agent, { conversation: "club", user: "cleo" }), []],
      ["another agent", keyOf(`${agent} 2`), []],
    ]
    for (const [who, key, ids] of seen) {
      const { memories } = service
      claimEqual(sortedIds(await memories.recent(key, { limit: 9 })), ids, `what ${who} sees`)
      claimEqual(sortedIds((await memories.changes(key, { limit: 9 })).memories), ids, `the changes ${who} sees`)
      claimEqual(sortedIds(await memories.withoutVector("m", key, 9)), ids, `what has no vector for ${who}`)
      for (const id of ["secret", "ann aloud", "bob aloud"])
        claimEqual((await memories.get(id, key))?.id, ids.includes(id) ? id : undefined, `${id} for ${who}`)
    }
  },
  async "vectors are stored by model to the last bit, and are seen only with their memory"({ service, agent, key }) {
    const stranger = keyOf(agent, { user: "bob" })
    const bits = Float32Array.of(0.1, -0, 1e-45, 3.4028234663852886e38, Number.NaN, Number.NEGATIVE_INFINITY)
    await keep(service, key, memoryOf("a", key), memoryOf("b", key, { atMs: 2_000 }))
    const { cursor } = await service.memories.changes(key, { limit: 9 })
    const vector = { memoryId: "a", model: "m", values: bits }
    await service.memories.putVectors([vector, { memoryId: "unknown", model: "m", values: bits }], key)
    await service.memories.putVectors([{ memoryId: "b", model: "m", values: bits }], stranger)
    const [found, ...more] = await service.memories.vectors(["b", "unknown", "a"], "m", key)
    claim(found?.memoryId === "a" && more.length === 0, "the vector of `a` alone", [found?.memoryId, more.length])
    claim(found.values.length === bits.length && found.values.every((value, at) => Object.is(value, bits[at])), "every bit", [
      ...found.values,
    ])
    const changed = await service.memories.changes(key, { after: cursor, limit: 9 })
    claimEqual(sortedIds(changed.memories), ["a"], "what changed by its vector")
    claimEqual(await service.memories.vectors(["a"], "m", stranger), [], "a stranger's look at the vector")
    claimEqual(await service.memories.vectors(["a"], "another model", key), [], "the vector of another model")
    claimEqual(sortedIds(await service.memories.withoutVector("m", key, 9)), ["b"], "what has no vector yet")
    const shorter = { ...vector, values: Float32Array.of(2) }
    await service.memories.putVectors([shorter, { ...vector, memoryId: "b" }], key)
    const both = await service.memories.vectors(["b", "a"], "m", key)
    const order = both.map(({ memoryId, values }) => `${memoryId} ${values.length}`)
    claimEqual(order, [`b ${bits.length}`, "a 1"], "the vectors in the order asked for")
  },
  async "no read with any key returns a foreign row"({ service, agent }) {
    const random = seededRandom(7)
    const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0]
    const anyKey = (): ServiceKey => ({
      agent: pick([agent, `${agent} 2`]),
      conversation: pick(["x", "y", "z"]),
      audience: pick(["private", "group"]),
      user: pick(["ann", "bob", "x"]),
    })
    for (let at = 0; at < 80; at++) {
      const key = anyKey()
      await keep(service, key, memoryOf(`m${at}`, key, { atMs: at }))
    }
    for (let read = 0; read < 60; read++) {
      const key = anyKey()
      const rows = [
        ...(await service.memories.recent(key, { limit: 99 })),
        ...(await service.memories.changes(key, { limit: 99 })).memories,
      ]
      const foreign = rows.filter((row) => !sees(key, row))
      claim(foreign.length === 0, `no foreign row for ${JSON.stringify(key)}`, foreign)
      const one = await service.memories.get(`m${Math.floor(random() * 80)}`, key)
      claim(one === undefined || sees(key, one), `no foreign memory for ${JSON.stringify(key)}`, one)
    }
  },
}

function sees(key: ServiceKey, memory: StoredMemory): boolean {
  if (memory.agent !== key.agent) return false
  if (key.audience === "private") return memory.user === key.user
  return memory.audience === "group" && memory.conversation === key.conversation
}
