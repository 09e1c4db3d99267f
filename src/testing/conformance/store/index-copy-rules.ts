import type { ServiceKey } from "../../../core/conversation.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claimEqual, claimRejects } from "../claims.ts"
import { keep, keyOf, memoryOf, type Rules } from "./samples.ts"

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
