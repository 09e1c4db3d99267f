import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openStore } from "../../../../src/adapters/stores/index.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const canary = "canary-7f3a91"

/** The files of a folder, hidden ones too, that contain the word in some encoding. */
function filesWith(folder: string, word: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.flatMap(({ parentPath, name }) => (readFileSync(join(parentPath, name)).includes(word) ? [name] : []))
}

test("after a user is forgotten a word of theirs is in no byte of any file", async () => {
  const folder = tempFolder()
  const store = await openStore(folder)
  const user = `user ${canary}`
  const keys: readonly ServiceKey[] = [
    { agent: "fay", conversation: `with ${canary}`, audience: "private", user },
    { agent: "fay", conversation: "club", audience: "group", user },
    { agent: "fay", conversation: "club", audience: "group", user: "bob" },
  ]
  const versions = new Map<string, number>()
  for (let turn = 0; turn < 20; turn++) {
    for (const key of keys) {
      const isHers = key.user === user
      const text = isHers ? `${canary} said ${turn} ${"words and ".repeat(turn * 7)}` : `bob says ${turn}`
      const expectVersion = versions.get(key.conversation) ?? 0
      const turnId = `turn ${key.user} ${key.conversation} ${turn}`
      const speaker = { id: key.user, name: key.user }
      await store.commit(key, {
        expectVersion,
        append: [{ role: "user", text, speaker, turnId, atMs: turn }],
        state: isHers ? { seen: text } : { turns: turn },
        jobs: [{ id: `job ${turnId}`, kind: "memory", key, turnId, atMs: turn, payload: { text } }],
      })
      versions.set(key.conversation, expectVersion + 1)
      await store.memories.put(
        { ...key, id: `memory ${turnId}`, kind: "dialogue", text, speaker, atMs: turn, turnId, turn },
        { hash: text, key },
      )
      if (turn % 10 !== 0) continue
      await store.memories.putVectors([{ memoryId: `memory ${turnId}`, model: "m", values: Float32Array.of(turn) }], key)
      const { version } = await store.users.load(key)
      const { conversation, audience } = key
      const statement = { name: "n", value: text, confidence: 1, atMs: turn, turnId, conversation, audience }
      await store.users.append([statement], { turnId, expectVersion: version, key })
      await store.receipts.put({
        key,
        turnId,
        kind: "importance",
        outcome: "ok",
        attempt: 1,
        startedMs: 1,
        durationMs: 1,
        message: text,
      })
      await store.post(key, { id: `note ${turnId}`, owner: "hook", payload: { text } })
    }
  }
  // One job is done and one is dead: each leaves another kind of row.
  const seen: string[] = []
  await store.jobs.start({ memory: async ({ id }) => void seen.push(id) }, { agent: "fay" })
  await store.jobs.idle()
  await store.jobs.close({ drainMs: 0 })
  expect(seen.length).toBe(60)
  expect(filesWith(folder, canary).length, "before").toBeGreaterThan(0)

  const report = await store.forget({ agent: "fay", user })
  expect(report).toMatchObject({ session: 1, memory: 40, statement: 4, receipt: 4 })
  expect(filesWith(folder, canary)).toEqual([])
  const bob = keys[2] as ServiceKey
  expect(await store.memories.recent(bob, { limit: 100 })).toHaveLength(20)
  expect(await store.check()).toMatchObject({ ok: true })
  await store.close()
  expect(filesWith(folder, canary)).toEqual([])
  expect(filesWith(folder, "bob says 19")).toEqual(["store.sqlite"])
})
