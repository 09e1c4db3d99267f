import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { collect } from "../../../support/collect.ts"
import { saidBy, turnAt } from "../../../support/known-sessions.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const key: ServiceKey = { agent: "fay", conversation: "chat", audience: "private", user: "ann" }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("bytes in a file", () => {
  test("cost a later turn nothing, however many its session holds", async () => {
    const asked: string[] = []
    const log = ({ query }: { readonly query: { readonly sql: string } }) => void asked.push(query.sql)
    const file = join(tempFolder(), "store.sqlite")
    const store = await openSqliteStore(file, { log })
    // Imported, because that is one transaction.
    const pictures = Array.from({ length: 1_000 }, (_, at) => Buffer.alloc(10_000, `picture ${at} `))
    const { user: _, ...session } = key
    const rows = pictures.map((bytes) => {
      const id = createHash("sha256").update(bytes).digest("hex")
      return { table: "blob", ...session, id, bytes: bytes.toString("base64") }
    })
    const made = { table: "session", ...session, version: 0, state: {} }
    expect(await store.import([made, ...rows].map((row) => JSON.stringify(row)))).toEqual({ session: 1, blob: 1_000 })
    const statements = async (version: number) => {
      asked.splice(0)
      await store.load(key)
      await store.load(key, { last: 5 })
      await store.messages(key, { limit: 5 })
      await store.append(key, [saidBy("ann", "heard")])
      await store.commit(key, turnAt(version, `words ${version}`))
      return asked.filter((sql) => sql.includes("blobs"))
    }
    for (const version of [0, 1]) expect(await statements(version)).toEqual([])
    await store.close()
  })

  test("leave no byte behind once they are forgotten", async () => {
    const folder = tempFolder()
    const store = await openSqliteStore(join(folder, "store.sqlite"))
    const canary = "canary-in-a-picture"
    const large = bytesOf(canary.repeat(3_000))
    await store.blobs.put(large, key)
    await store.blobs.put(bytesOf(canary), { ...key, conversation: "other" })
    await store.commit(key, turnAt(0, "see"))
    const holding = () => readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(canary))
    expect(holding().length).toBeGreaterThan(0)
    await store.forget({ agent: "fay", user: "ann" })
    await store.forget({ agent: "fay", conversation: "other" })
    expect(holding()).toEqual([])
    await store.close()
    expect(holding()).toEqual([])
  })

  test("that are not those of their id, or are gone, are found by the check and given to nobody", async () => {
    const folder = tempFolder()
    const file = join(folder, "store.sqlite")
    const store = await openSqliteStore(file)
    const damaged = await store.blobs.put(bytesOf("a picture"), key)
    const lost = await store.blobs.put(bytesOf("lost"), key)
    const kept = await store.blobs.put(bytesOf("kept"), key)
    expect(await store.check()).toMatchObject({ ok: true, counts: { blob: 3 } })
    const raw = new DatabaseSync(file)
    raw.prepare("update blobs set bytes = ? where id = ?").run(bytesOf("b picture"), damaged.id)
    raw.prepare("delete from blobs where id = ?").run(lost.id)
    raw.close()
    expect((await store.check()).problems).toEqual([
      expect.stringMatching(new RegExp(`^blobs \\(agent fay, id ${damaged.id}\\)`)),
      expect.stringContaining("1 rows hold bytes that are not there"),
    ])
    const fault = { code: "store", evidence: { table: "blobs", row: { id: damaged.id } } }
    await expect(store.blobs.get(damaged.id, key)).rejects.toMatchObject(fault)
    await expect(collect(store.export({ agent: "fay" }))).rejects.toMatchObject(fault)
    expect(await store.blobs.get(kept.id, key)).toEqual(bytesOf("kept"))
    expect(await store.repair(join(folder, "aside.jsonl"))).toMatchObject([{ table: "blobs", body: btoa("b picture") }])
    await store.blobs.put(bytesOf("lost"), key)
    expect(await store.check()).toMatchObject({ ok: true, counts: { blob: 2 } })
    expect(await store.blobs.get(damaged.id, key)).toBeUndefined()
    await store.close()
  })
})
