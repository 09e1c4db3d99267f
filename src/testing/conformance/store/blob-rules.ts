import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual, claimRejects, claimSameLines } from "../claims.ts"
import { bob, commitOf, exported, keyOf, type Rules, said } from "./samples.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function textOf(bytes: Promise<Uint8Array | undefined>): Promise<string | undefined> {
  const found = await bytes
  return found && new TextDecoder().decode(found)
}

/** Rules of bytes that messages name. */
export const blobRules: Rules<Store> = {
  async "bytes come back by their SHA-256, to the sessions that hold them alone"({ service, agent, key }) {
    const { id } = await service.blobs.put(bytesOf("abc"), key)
    claimEqual(id, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "the id of `abc`")
    claimEqual(await textOf(service.blobs.get(id, key)), "abc", "the bytes")
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
    claimEqual(await textOf(service.blobs.get(id, shared ?? key)), "abc", "bytes that two conversations hold")
  },
  async "changes to bytes that were put or got do not change the store"({ service, key }) {
    const given = bytesOf("kept")
    const putting = service.blobs.put(given, key)
    given.fill(0)
    const { id } = await putting
    ;(await service.blobs.get(id, key))?.fill(0)
    claimEqual(await textOf(service.blobs.get(id, key)), "kept", "the bytes")
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
    claimEqual(await textOf(service.blobs.get(id, there)), "shared-canary", "bytes that another conversation holds")
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
    const found = [mine, both, theirs, aside].map((id = "") => textOf(service.blobs.get(id, group)))
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
    for (const key of [here, there]) claimEqual(await textOf(service.blobs.get(id, key)), "picture", "the bytes")
    await service.forget({ agent })
    const changed = lines.map((line) => line.replace(btoa("picture"), btoa("another")))
    await claimRejects(() => service.import(changed), "store", "bytes of another id")
    claim((await exported(service, agent)).length === 0, "nothing imported", await exported(service, agent))
  },
}
