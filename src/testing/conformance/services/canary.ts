import type { ServiceKey } from "../../../core/keys.ts"
import type { Store } from "../../../services/store/store.ts"
import { commitOf, jobOf, keep, memoryOf, said, statementOf } from "./samples.ts"

/** Puts a word wherever a store can keep one for a key: as what the key's user said, and what came of it. */
export async function plant(store: Store, key: ServiceKey, word: string): Promise<void> {
  const { agent, user } = key
  const turnId = `turn ${word}`
  const version = (await store.load(key))?.version ?? 0
  const speaker = { id: user, name: user }
  const append = [
    said(`I say ${word}`, { speaker, turnId, recalled: [`recalled ${word}`] }),
    said(`you say ${word}`, { role: "assistant", speaker: { id: agent, name: "Fay" }, turnId }),
  ]
  await store.post(key, { id: `taken ${turnId}`, owner: "hook", payload: { word } })
  const hooks = { character: { mood: word } }
  const jobs = [jobOf(`job ${word}`, key, { turnId })]
  await store.commit(
    key,
    commitOf(version, [], { append, state: { memoryOn: true, turns: 3, hooks }, jobs, taken: [`taken ${turnId}`] }),
  )
  await store.post(key, { id: `note ${turnId}`, owner: "hook", payload: { word } })
  const id = `memory ${word}`
  await keep(store, key, memoryOf(id, key, { text: `${user} likes ${word}`, turnId }))
  await store.memories.putVectors([{ memoryId: id, model: "m", values: Float32Array.of(1, 2) }], key)
  const statement = statementOf("likes", word, key, { turnId })
  const { version: known } = await store.users.load(key)
  await store.users.append([statement], { turnId, expectVersion: known, key })
  const receipt = { key, turnId, kind: "profile", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 } as const
  await store.receipts.put({ ...receipt, message: `found ${word}`, value: { word } })
}

/** A store's whole export of an agent. */
export async function exported(store: Store, agent: string): Promise<readonly string[]> {
  return linesOf(store.export({ agent }))
}

export async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}
