import { join } from "node:path"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Receipt } from "../../../src/memory/services/store/receipt.ts"
import type { Store, StoreScope } from "../../../src/memory/services/store/store.ts"
import { type Dice, diceOf } from "../../support/dice.ts"
import { type ModelReceipt, ReceiptModel } from "../../support/receipt-model.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const [users, conversations, kinds] = [
  ["ann", "bob"],
  ["talk", "club"],
  ["importance", "profile", "store"],
] as const
const outcomes = ["ok", "empty", "parse-error", "timeout", "failed", "skipped"] as const

const keyOf = (dice: Dice): ServiceKey => ({
  ...{ agent: dice.pick("fay", "fay", "gil"), conversation: dice.pick(...conversations) },
  ...{ audience: "group", user: dice.pick(...users) },
})

/** One step of a script: what the model answers, and the same asked of a store. */
interface Step {
  readonly name: string
  readonly expected: unknown
  readonly ask: (store: Store) => Promise<unknown>
}

function nextStep(dice: Dice, model: ReceiptModel, step: number): Step {
  const key = keyOf(dice)
  const turns = model.turnsOf(key)
  const turnId = dice.pick(`t${step}`, ...turns.slice(-3), ...turns.slice(-3), ...turns)
  const roll = dice.below(20)
  if (roll < 6) {
    const after = dice.chance(0.4) ? dice.pick(null, ...turns) : undefined
    return {
      name: after === undefined ? "a turn" : `a turn behind ${after}`,
      expected: model.commit(key, `t${step}`, after),
      ask: (store) => commit(store, key, `t${step}`, after),
    }
  }
  if (roll < 15) {
    const receipt: ModelReceipt = {
      ...{ key, turnId, kind: dice.pick(...kinds), outcome: dice.pick(...outcomes), attempt: 1 + dice.below(4) },
      ...{ startedMs: dice.below(5), durationMs: step },
      ...(dice.chance(0.6) ? { model: "small" } : {}),
    }
    const ofTurn = dice.chance(0.5)
    const ask = async ({ receipts }: Store) => {
      await receipts.put(receipt as Receipt, { ofTurn })
      return receipts.ofTurn(turnId, key)
    }
    const expected = model.put(receipt, ofTurn) ?? model.ofTurn(turnId, key)
    return { name: `a receipt${ofTurn ? " of a turn that is there" : ""}`, expected, ask }
  }
  if (roll < 17) {
    const { agent, user, conversation } = key
    const scope: StoreScope = dice.chance(0.5) ? { agent, user } : dice.chance(0.7) ? { agent, conversation } : { agent }
    const ask = async (store: Store) => (await store.forget(scope)).receipt
    return { name: `forget ${JSON.stringify(scope)}`, expected: model.forget(scope), ask }
  }
  const sinceMs = dice.below(6)
  return {
    name: "look",
    expected: [model.ofTurn(turnId, key), inOrder(model.since(key, sinceMs))],
    ask: async ({ receipts }) => [await receipts.ofTurn(turnId, key), inOrder(await receipts.since(key, sinceMs))],
  }
}

const inOrder = (receipts: readonly object[]) =>
  receipts
    .map((each) => JSON.stringify(each))
    .sort()
    .map((text) => JSON.parse(text))

/** Writes a turn of somebody who is none of the users, so that forgetting one leaves it. */
async function commit(store: Store, key: ServiceKey, turnId: string, after: string | null | undefined): Promise<void> {
  const { version = 0 } = (await store.load(key, { last: 0 })) ?? {}
  const said = { role: "user", text: turnId, speaker: { id: "cid", name: "Cid" }, turnId, atMs: 1 } as const
  const place = after === undefined ? {} : { after }
  await store.commit(key, { expectVersion: version, append: [said], state: {}, jobs: [], ...place })
}

const codeOf = (error: unknown) => ({ code: (error as { readonly code?: string }).code })

test("T33 receipts in memory and in a file are what a model of them says, while turns are set aside, return and are forgotten", async () => {
  for (let run = 0; run < runs(200) / 2; run++) {
    const dice = diceOf(mulberry32(seedOf(7_000 + run)))
    const model = new ReceiptModel()
    const file = await openSqliteStore(join(tempFolder(), "store.sqlite"))
    const stores = { "in memory": createInMemoryStore(), "in a file": file }
    for (let step = 0; step < 80; step++) {
      const { name, expected, ask } = nextStep(dice, model, step)
      for (const [place, store] of Object.entries(stores)) {
        const at = `${name}, step ${step} of seed ${seedOf(7_000 + run)}, ${place}`
        expect(await ask(store).catch(codeOf), at).toEqual(expected)
      }
    }
    await file.close()
  }
})
