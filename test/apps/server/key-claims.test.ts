import { expect, test } from "vitest"
import { claimKey, noteTurn } from "../../../src/apps/server/key-claims.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"

test("the turn of an old request is not noted for a key that a later request has taken", async () => {
  const store = createInMemoryStore()
  const { agent } = testAgent(scriptedModel([]), {}, { store })
  const claim = { agent, caller: { user: "ann", conversation: "c1" }, conversation: "c1", key: "k" }
  const claimed = async () => {
    const { state } = (await store.load({ agent: "test", conversation: "keys of c1", audience: "private" })) ?? {}
    return state?.claims
  }
  await claimKey(claim, { print: "words", nowMs: 1, sinceMs: 0 })
  await noteTurn(claim, { atMs: 1, turnId: "asked" })
  await noteTurn(claim, { atMs: 1, turnId: "answered" })
  expect(await claimed()).toEqual({ k: { print: "words", atMs: 1, turnId: "answered" } })
  await claimKey(claim, { print: "other words", nowMs: 9, sinceMs: 8 })
  await noteTurn(claim, { atMs: 1, turnId: "late" })
  expect(await claimed()).toEqual({ k: { print: "other words", atMs: 9 } })
})
