import type { ServiceKey } from "../../../core/conversation.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual, claimRejects, claimSameLines } from "../claims.ts"
import { bob, commitOf, exported, keep, keyOf, memoryOf, type Rules, said, statementOf, valuesOf } from "./samples.ts"

const form = "a form"

/** Keeps a copy of these bytes, one a part, for what a reader has read until now. Throws behind the parts if `fault` is given. */
async function copy({ memories }: Store, key: ServiceKey, bytes: readonly number[], fault?: Error): Promise<boolean | undefined> {
  const { cursor } = await memories.changes(key, { limit: 99 })
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (const byte of bytes) yield Uint8Array.of(byte)
    if (fault) throw fault
  }
  return memories.keepIndex?.({ form, cursor, parts: parts() }, key)
}

/** The bytes of the copy that is read, with its place; undefined without one. */
async function read({ memories }: Store, key: ServiceKey, asked = form) {
  const found = await memories.readIndex?.(key, { form: asked })
  return found && { bytes: found.parts.map((part) => [...part]), cursor: found.cursor }
}

/** Rules of copies of recall indexes, for stores that keep them. */
export const indexCopyRules: Rules<Store> = {
  async "the copy of a recall index is read as it was kept, in its scope and its form alone"({ service, agent, key, group }) {
    if (service.memories.keepIndex === undefined) return
    await keep(service, key, memoryOf("a", key))
    await keep(service, group, memoryOf("b", group))
    claimEqual(await read(service, key), undefined, "what is read before")
    claimEqual(await copy(service, key, [1, 2, 0]), true, "whether it was kept")
    const { cursor } = await service.memories.changes(key, { limit: 99 })
    claimEqual(await read(service, key), { bytes: [[1], [2], [0]], cursor }, "what is read")
    claimEqual(await read(service, { ...key, conversation: "other" }), { bytes: [[1], [2], [0]], cursor }, "in another talk")
    claimEqual(await read(service, key, "another form"), undefined, "what is read in another form")
    for (const other of [group, keyOf(agent, { user: "bob" }), keyOf(`${agent} 2`)])
      claimEqual(await read(service, other), undefined, `what is read in another scope: ${JSON.stringify(other)}`)
    claimEqual(await copy(service, group, [9]), true, "whether a group's was kept")
    await keep(service, key, memoryOf("c", key))
    claimEqual(await copy(service, key, [3, 4]), true, "whether the next one was kept")
    const next = await read(service, key)
    claimEqual(next?.bytes, [[3], [4]], "what is read then")
    const { memories } = await service.memories.changes(key, { after: next?.cursor, limit: 99 })
    claimEqual(memories, [], "what changed since")
    claimEqual((await read(service, group))?.bytes, [[9]], "what is read in the group")
  },
  async "a copy of which the parts fail, or are none, changes nothing"({ service, key }) {
    if (service.memories.keepIndex === undefined) return
    await keep(service, key, memoryOf("a", key))
    await copy(service, key, [1])
    await claimRejects(
      () => copy(service, key, [2, 3], Object.assign(new Error("no more"), { code: "none" })),
      "none",
      "the fault",
    )
    claimEqual(await copy(service, key, []), false, "whether nothing was kept")
    claimEqual((await read(service, key))?.bytes, [[1]], "what is read")
  },
  async "a copy ends with what it was made of: nothing of it stays when a memory is forgotten"({ service, agent, key }) {
    if (service.memories.keepIndex === undefined) return
    const there = { ...key, conversation: "there" }
    await keep(service, key, memoryOf("a", key))
    await keep(service, there, memoryOf("b", there))
    const { cursor } = await service.memories.changes(key, { limit: 99 })
    await copy(service, key, [1])
    const late = async function* (): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(5)
      await service.forget({ agent, conversation: "talk" })
      yield Uint8Array.of(6)
    }
    const isKept = await service.memories.keepIndex({ form, cursor, parts: late() }, key)
    claimEqual(isKept, false, "whether a copy is kept that was made before the memory was forgotten")
    claimEqual(await read(service, key), undefined, "what is read")
    claimEqual(await copy(service, key, [7]), true, "whether one made after it is kept")
    claimEqual((await read(service, key))?.bytes, [[7]], "what is read of that")
  },
  async "of copies that are kept at the same time one is read, and it is whole"({ service, key }) {
    if (service.memories.keepIndex === undefined) return
    await keep(service, key, memoryOf("a", key))
    // Several times, because the copies must meet in the moment in which one takes the parts of the others away.
    for (let round = 0; round < 5; round++) {
      const kept = await Promise.all([1, 2, 3, 4].map((byte) => copy(service, key, [byte, byte, byte])))
      const [first] = (await read(service, key))?.bytes ?? []
      claimEqual(kept.includes(true), true, "whether one was kept")
      claimEqual((await read(service, key))?.bytes, [first, first, first], "the parts that are read")
    }
  },
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function storedText(bytes: Promise<Uint8Array | undefined>): Promise<string | undefined> {
  const found = await bytes
  return found && new TextDecoder().decode(found)
}

/** Rules of bytes that messages name. */
export const blobRules: Rules<Store> = {
  async "bytes come back by their SHA-256, to the sessions that hold them alone"({ service, agent, key }) {
    const { id } = await service.blobs.put(bytesOf("abc"), key)
    claimEqual(id, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "the id of `abc`")
    claimEqual(await storedText(service.blobs.get(id, key)), "abc", "the bytes")
    const all = Uint8Array.from({ length: 256 }, (_, at) => at)
    const every = await service.blobs.put(all, key)
    claimEqual([...((await service.blobs.get(every.id, key)) ?? [])], [...all], "every byte")
    const none = await service.blobs.put(new Uint8Array(), key)
    claimEqual((await service.blobs.get(none.id, key))?.length, 0, "no bytes at all")
    const others = [keyOf(`${agent} 2`), keyOf(agent, { conversation: "other" }), keyOf(agent, { audience: "group" })]
    for (const other of others) claimEqual(await service.blobs.get(id, other), undefined, `what ${JSON.stringify(other)} gets`)
    claimEqual(await service.blobs.get("none", key), undefined, "an unknown id")
    const [shared] = others.slice(1)
    if (shared) await service.blobs.put(bytesOf("abc"), shared)
    claimEqual(await storedText(service.blobs.get(id, shared ?? key)), "abc", "bytes that two conversations hold")
  },
  async "changes to bytes that were put or got do not change the store"({ service, key }) {
    const given = bytesOf("kept")
    const putting = service.blobs.put(given, key)
    given.fill(0)
    const { id } = await putting
    ;(await service.blobs.get(id, key))?.fill(0)
    claimEqual(await storedText(service.blobs.get(id, key)), "kept", "the bytes")
  },
  async "more than 20,000,000 bytes, and what is no bytes, are refused"({ service, agent, key }) {
    await claimRejects(() => service.blobs.put(new Uint8Array(20_000_001), key), "usage", "a blob that is too large")
    await claimRejects(() => service.blobs.put("text" as unknown as Uint8Array, key), "usage", "a text")
    claimEqual(await exported(service, agent), [], "the export after that")
  },
  async "keeping bytes leaves the session as it was, for a turn that runs meanwhile"({ service, key }) {
    const { id } = await service.blobs.put(bytesOf("first"), key)
    claimEqual(await service.load(key), undefined, "a session of bytes alone")
    await service.commit(key, commitOf(0, [`see ${id}`]))
    const before = await service.load(key)
    await service.blobs.put(bytesOf("second"), key)
    claimEqual(await service.load(key), before, "the session")
    claimEqual(await service.commit(key, commitOf(1, ["next"])), { version: 2 }, "the next commit")
  },
  async "bytes are forgotten with the last conversation that holds them"({ service, agent }) {
    const [here, there] = [keyOf(agent), keyOf(agent, { conversation: "other", user: "bob" })]
    const { id } = await service.blobs.put(bytesOf("shared-canary"), here)
    await service.blobs.put(bytesOf("shared-canary"), there)
    const own = await service.blobs.put(bytesOf("own-canary"), here)
    await service.commit(here, commitOf(0, [`see ${own.id}`]))
    await service.commit(there, commitOf(0, [], { append: [said(`see ${id}`, bob)] }))
    claimEqual((await service.forget({ agent, user: "ann" })).blob, 2, "the blobs that the first conversation lost")
    claimEqual(await service.blobs.get(own.id, here), undefined, "bytes of the forgotten conversation")
    claimEqual(await storedText(service.blobs.get(id, there)), "shared-canary", "bytes that another conversation holds")
    await service.forget({ agent, conversation: "other" })
    claimEqual(await service.blobs.get(id, there), undefined, "bytes that nobody holds")
    claimEqual(await exported(service, agent), [], "the export")
    // Bytes that were left would come back without being put.
    await service.commit(there, commitOf(0, ["anew"]))
    claimEqual(await service.blobs.get(id, there), undefined, "bytes of a conversation that began anew")
  },
  async "of a group, bytes that no message names any more are forgotten with a speaker"({ service, agent, group }) {
    const [mine, both, theirs, aside] = await Promise.all(
      ["mine", "both", "theirs", "aside"].map(async (text) => (await service.blobs.put(bytesOf(text), group)).id),
    )
    await service.commit(group, commitOf(0, [], { append: [said(`${aside}`, bob)] }))
    const append = [said(`${mine} and ${both}`), said(`I like ${both} and ${theirs}`, { ...bob, turnId: "b" })]
    await service.commit(group, commitOf(1, [], { append, after: null }))
    await service.forget({ agent, user: "ann" })
    const found = [mine, both, theirs, aside].map((id = "") => storedText(service.blobs.get(id, group)))
    claimEqual(await Promise.all(found), [null, "both", "theirs", "aside"], "the bytes that are left")
  },
  async "an export holds bytes once, and an import puts them back, but none that do not match their id"({ service, agent }) {
    const [here, there] = [keyOf(agent), keyOf(agent, { audience: "group" })]
    const { id } = await service.blobs.put(bytesOf("picture"), here)
    for (const key of [here, there]) {
      await service.blobs.put(bytesOf("picture"), key)
      await service.commit(key, commitOf(0, [`see ${id}`]))
    }
    const lines = await exported(service, agent)
    claimEqual(lines.filter((line) => line.includes(btoa("picture"))).length, 1, "the lines with the bytes")
    claimEqual(lines.filter((line) => line.startsWith('{"table":"blob"')).length, 2, "the lines of blobs")
    const report = await service.forget({ agent })
    claimEqual([(await service.import(lines)).blob, report.blob], [2, 2], "the blobs put and forgotten")
    claimSameLines(await exported(service, agent), lines, "the second export")
    for (const key of [here, there]) claimEqual(await storedText(service.blobs.get(id, key)), "picture", "the bytes")
    await service.forget({ agent })
    const changed = lines.map((line) => line.replace(btoa("picture"), btoa("another")))
    await claimRejects(() => service.import(changed), "store", "bytes of another id")
    claim((await exported(service, agent)).length === 0, "nothing imported", await exported(service, agent))
  },
}

/** Rules of user statements and of receipts. */
export const userRules: Rules<Store> = {
  async "statements are stored in order, one revision for each turn, against the current version"({ service, key }) {
    const { users } = service
    const city = statementOf("city", "Hangzhou", key)
    const moved = statementOf("city", "Beijing", key)
    claimEqual(await users.load(key), { version: 0, statements: [] }, "an unknown user")
    const first = await users.append([city], { turnId: city.turnId, expectVersion: 0, key })
    claimEqual(first, { version: 1, applied: true }, "the first revision")
    const stale = () => users.append([moved], { turnId: moved.turnId, expectVersion: 0, key })
    await claimRejects(stale, "version-conflict", "a change of a version that is gone")
    const again = await users.append([city], { turnId: city.turnId, expectVersion: 0, key })
    claimEqual(again, { version: 1, applied: false }, "the same turn again")
    claimEqual(await users.append([], { turnId: "turn", expectVersion: 1, key }), { version: 1, applied: false }, "no statements")
    await users.append([moved], { turnId: moved.turnId, expectVersion: 1, key })
    claimEqual(await users.load(key), { version: 2, statements: [city, moved] }, "the user")
  },
  async "statements of a turn are kept only while the history has the turn"({ service, agent, key }) {
    const tea = statementOf("drink", "tea", key)
    const append = () => service.users.append([tea], { turnId: tea.turnId, expectVersion: 0, ofTurn: true, key })
    await claimRejects(append, "aborted", "what was drawn from a turn that is not there")
    await service.commit(key, commitOf(0, ["tea"]))
    claimEqual(await append(), { version: 1, applied: true }, "what was drawn from a turn that is there")
    await service.forget({ agent, user: key.user })
    await claimRejects(append, "aborted", "what was drawn from a turn that was forgotten")
    claimEqual(await service.users.load(key), { version: 0, statements: [] }, "the user")
  },
  async "a receipt of a turn is kept only while the history has the turn"({ service, agent, key }) {
    const { turnId } = statementOf("drink", "tea", key)
    const put = (kind: string) =>
      service.receipts.put({ key, turnId, kind, outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 }, { ofTurn: true })
    await claimRejects(() => put("early"), "aborted", "a receipt of a turn that is not there")
    await service.commit(key, commitOf(0, ["tea"]))
    await put("store")
    claimEqual(valuesOf(await service.receipts.ofTurn(turnId, key), "kind"), ["store"], "the receipts of the turn")
    await service.forget({ agent, user: key.user })
    await claimRejects(() => put("late"), "aborted", "a receipt of a turn that was forgotten")
    claimEqual(await service.receipts.ofTurn(turnId, key), [], "the receipts of a turn that was forgotten")
  },
  async "of concurrent changes of one version exactly one is applied"({ service, key }) {
    const change = (at: number) => {
      const statement = statementOf("name", `racer ${at}`, key)
      return service.users.append([statement], { turnId: statement.turnId, expectVersion: 0, key })
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => change(at)))
    const applied = outcomes.filter((outcome) => outcome.status === "fulfilled" && outcome.value.applied)
    claim(applied.length === 1, "exactly one of eight to be applied", applied.length)
    claim((await service.users.load(key)).statements.length === 1, "one statement", await service.users.load(key))
  },
  async "a group sees the statements made in it, and no user sees those of another"({ service, agent, group }) {
    const ann = keyOf(agent)
    const secret = statementOf("health", "secret", ann)
    const aloud = statementOf("city", "Hangzhou", group)
    await service.users.append([secret], { turnId: secret.turnId, expectVersion: 0, key: ann })
    await service.users.append([aloud], { turnId: aloud.turnId, expectVersion: 1, key: group })
    claimEqual(await service.users.load(ann), { version: 2, statements: [secret, aloud] }, "what Ann sees in private")
    claimEqual(await service.users.load(group), { version: 2, statements: [aloud] }, "what is shown in the group")
    // JavaScript may pass an audience that is none; it then sees no more than a group does.
    for (const audience of ["Group", "", undefined]) {
      const unclear = { ...group, audience } as ServiceKey
      claimEqual(await service.users.load(unclear), { version: 2, statements: [aloud] }, `what audience ${audience} sees`)
    }
    const elsewhere = { ...group, conversation: "pub" }
    claimEqual(await service.users.load(elsewhere), { version: 2, statements: [] }, "what is shown in another group")
    for (const other of [keyOf(agent, { user: "bob" }), keyOf(`${agent} 2`), { ...group, user: "bob" }])
      claimEqual(await service.users.load(other), { version: 0, statements: [] }, `what ${JSON.stringify(other)} sees`)
  },
  async "there is one receipt for a turn and kind: the last attempt's, until one is final"({ service, agent, key }) {
    const base = { key, turnId: "t", startedMs: 100, durationMs: 5 }
    const put = (kind: string, outcome: Receipt["outcome"], rest: Partial<Receipt> = {}) =>
      service.receipts.put({ ...base, kind, outcome, attempt: 1, ...rest })
    await put("importance", "timeout", { model: "m" })
    await put("profile", "empty", { model: "m" })
    await put("importance", "ok", { attempt: 2, model: "m", value: { importance: 7 }, usage: { inputTokens: 3 } })
    await put("importance", "failed", { attempt: 3, model: "m" })
    await put("store", "skipped", { message: "below the threshold" })
    const found = (await service.receipts.ofTurn("t", key)).map(({ kind, outcome, attempt }) => `${kind} ${outcome} ${attempt}`)
    claimEqual(found, ["importance ok 2", "profile empty 1", "store skipped 1"], "the turn's receipts")
    claimEqual((await service.receipts.ofTurn("t", key))[0]?.value, { importance: 7 }, "the value to go on with")
    for (const other of [keyOf(agent, { user: "bob" }), keyOf(agent, { conversation: "other" }), keyOf(`${agent} 2`)])
      claimEqual(await service.receipts.ofTurn("t", other), [], `the receipts for ${JSON.stringify(other)}`)
    claimEqual(await service.receipts.ofTurn("other", key), [], "the receipts of another turn")
    const elsewhere = keyOf(agent, { conversation: "other" })
    await put("reflect", "ok", { key: elsewhere, model: "m", startedMs: 200 })
    const since = async (of: ServiceKey, sinceMs: number) =>
      (await service.receipts.since(of, sinceMs)).map(({ kind, attempt }) => `${kind} ${attempt}`).sort()
    claimEqual(await since(key, 0), ["importance 2", "profile 1", "reflect 1", "store 1"], "all receipts of the user")
    claimEqual(await since(key, 101), ["reflect 1"], "receipts since a moment")
    claimEqual(await since(keyOf(agent, { user: "bob" }), 0), [], "receipts of another user")
    const receipts: Receipt[] = [{ ...base, kind: "turn", outcome: "ok", attempt: 1, startedMs: 300 }]
    await service.commit(key, { ...commitOf(0, ["said"]), receipts })
    claimEqual(await since(key, 201), ["turn 1"], "the receipts of a commit")
    const late = { ...commitOf(0, ["late"]), receipts: receipts.map((each) => ({ ...each, kind: "late" })) }
    await claimRejects(() => service.commit(key, late), "session-conflict", "a commit that came too late")
    claimEqual(await since(key, 201), ["turn 1"], "the receipts behind it")
  },
}
