import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual } from "../claims.ts"
import { commitOf, exported, idsOf, keep, keyOf, memoryOf, plant, type Rules, said, statementOf, valuesOf } from "./samples.ts"

/** The tables that hold a word, with the ids of memories. */
async function tablesWith(store: Store, agent: string, word: string): Promise<readonly string[]> {
  const rows = (await exported(store, agent))
    .filter((line) => line.includes(word))
    .map((line) => JSON.parse(line).table as string)
  return [...new Set(rows)].sort()
}

/** Rules of forgetting memories by id. */
export const forgetMemoryRules: Rules<Store> = {
  async "forgetting a memory undoes everything that was drawn with it, and leaves a receipt without its words"(scene) {
    const { service, agent, key } = scene
    const elsewhere = keyOf(agent, { conversation: "elsewhere" })
    await plant(service, key, "canary")
    await plant(service, elsewhere, "kept")
    const insight = { kind: "insight", text: "so canary", turnId: "turn kept", sources: ["memory canary"] } as const
    const deeper = { kind: "insight", text: "deeper canary", turnId: "turn kept", sources: ["insight"] } as const
    await keep(service, elsewhere, memoryOf("insight", elsewhere, insight), memoryOf("deeper", elsewhere, deeper))
    const { version } = await service.users.load(key)
    const fact = statementOf("pet", "a canary", key, { turnId: "turn canary" })
    const report = await service.users.append([{ ...fact, turnId: "other" }], { turnId: "other", expectVersion: version, key })
    const runs = [{ id: "1", step: 0, tool: "search_memories", args: {}, result: "canary" }]
    const recalled = [said("late", { recalled: ["canary"], runs })]
    await service.commit(elsewhere, commitOf((await service.load(elsewhere))?.version ?? 0, [], { append: recalled }))
    const forgotten = await service.memories.forget(["memory canary"], { atMs: 77, key })
    claimEqual(forgotten, { memories: 3, statements: 1 }, "what was forgotten")
    const { statements, version: after } = await service.users.load(key)
    claimEqual(valuesOf(statements, "turnId"), ["turn kept", "other"], "the statements of other turns")
    claim(after > report.version, "the user's version to go on", after)
    claimEqual(await tablesWith(service, agent, "memory canary"), ["receipt"], "where the id stands")
    const words = (await exported(service, agent)).filter((line) => line.includes("canary") && !line.includes("a canary"))
    const holding = words.map((line) => JSON.parse(line).table as string)
    claimEqual([...new Set(holding)].sort(), ["message", "note", "receipt", "session"], "what still names the word")
    claim(!words.some((line) => line.includes('"recalled":["canary"]')), "no copy of what was recalled", words)
    const receipts = await service.receipts.ofTurn("turn canary", key)
    claimEqual(
      receipts.map(({ kind, outcome, startedMs, value }) => ({ kind, outcome, startedMs, value })),
      [{ kind: "forget memory canary", outcome: "ok", startedMs: 77, value: forgotten }],
      "the receipts",
    )
    claimEqual(await service.memories.vectors(["memory canary"], "m", key), [], "vectors")
    const done: string[] = []
    await service.jobs.start({ work: async ({ turnId }) => void done.push(turnId) }, { agent })
    await service.jobs.idle()
    claimEqual(done, ["turn kept"], "the turns whose jobs ran")
  },
  async "a memory is forgotten with the turns in which it was judged and in which it was said again"({ service, agent, key }) {
    const other = keyOf(agent, { conversation: "other" })
    const again = [said("again", { atMs: 5_000, turnId: "again" }), said("not again", { atMs: 6_000, turnId: "not again" })]
    await service.commit(other, commitOf(0, [], { append: again }))
    await keep(service, key, memoryOf("m", key, { judgedIn: "judged" }))
    await service.memories.put(memoryOf("n", other, { atMs: 5_000, turnId: "again" }), { hash: "hash of m", key: other })
    let expectVersion = 0
    for (const [turnId, where] of [
      ["judged", key],
      ["again", other],
      ["not again", other],
      ["again", key],
    ] as const) {
      const statement = statementOf(`of ${turnId}`, where.conversation, where, { turnId: `${turnId}` })
      const turn = where === key && turnId === "again" ? { ...statement, turnId: "third" } : statement
      const added = await service.users.append([turn], { turnId: turn.turnId, expectVersion, key: where })
      expectVersion = added.version
    }
    claimEqual(await service.memories.forget(["m"], { atMs: 1, key }), { memories: 1, statements: 2 }, "what was forgotten")
    const { statements } = await service.users.load(key)
    claimEqual(valuesOf(statements, "turnId"), ["not again", "third"], "the statements that stay")
  },
  async "an insight is forgotten without the memories that it rests on"({ service, key }) {
    await plant(service, key, "seen")
    const insight = { kind: "insight", turnId: "turn seen", sources: ["memory seen"] } as const
    await keep(service, key, memoryOf("insight", key, insight))
    claimEqual(await service.memories.forget(["insight"], { atMs: 1, key }), { memories: 1, statements: 0 }, "what was forgotten")
    claimEqual((await service.memories.get("memory seen", key))?.id, "memory seen", "its source")
  },
  async "nobody forgets memories of another user, nor those that a key does not see"({ service, agent, group }) {
    const bob = { ...group, user: "bob" }
    await plant(service, group, "aloud")
    await plant(service, keyOf(agent), "private")
    const before = await exported(service, agent)
    const nothing = { memories: 0, statements: 0 }
    for (const key of [bob, keyOf(agent, { user: "bob" }), { ...keyOf(`${agent} 2`) }, { ...group, conversation: "other" }])
      claimEqual(await service.memories.forget(["memory aloud"], { atMs: 1, key }), nothing, `for ${key.user}`)
    claimEqual(await service.memories.forget(["memory private"], { atMs: 1, key: group }), nothing, "a private one in a group")
    claimEqual(await service.memories.forget(["unknown"], { atMs: 1, key: group }), nothing, "an unknown one")
    claimEqual(await exported(service, agent), before, "what is stored")
  },
  async "a turn that runs can be committed after it forgot a memory"({ service, key }) {
    await keep(service, key, memoryOf("m", key))
    const version = (await service.commit(key, commitOf(0, [], { append: [said("before", { recalled: ["m"] })] }))).version
    await service.memories.forget(["m"], { atMs: 1, inTurn: true, key })
    await service.commit(key, commitOf(version, ["after"]))
    claimEqual((await service.load(key))?.history.length, 2, "the messages")
  },
  async "readers of changes begin anew after a memory was forgotten"({ service, key }) {
    await keep(service, key, memoryOf("a", key), memoryOf("b", key))
    const { cursor } = await service.memories.changes(key, { limit: 9 })
    await service.memories.forget(["a"], { atMs: 1, key })
    const { reset, memories } = await service.memories.changes(key, { after: cursor, limit: 9 })
    claimEqual([reset, idsOf(memories)], [true, ["b"]], "what they read")
  },
}
