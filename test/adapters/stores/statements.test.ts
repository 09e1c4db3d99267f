import { expect, onTestFinished, test } from "vitest"
import type { ProfileStatement } from "../../../src/memory/services/store/records.ts"
import { collect } from "../../support/collect.ts"
import { stores } from "./alike.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const

test.each(stores)(
  "statements about a user keep the order in which they were put, in %s, also after an import",
  async (_, open) => {
    const store = await open()
    onTestFinished(() => store.close())
    const statement = (name: string, turnId: string): ProfileStatement => {
      return { name, value: name, confidence: 1, turnId, atMs: 1, conversation: "talk", audience: "private" }
    }
    const fields: string[] = []
    for (let turn = 0; turn < 5; turn++) {
      const names = Array.from({ length: turn + 1 }, (_, at) => `field ${turn} ${at}`)
      const statements = names.map((name) => statement(name, `t${turn}`))
      expect(await store.users.append(statements, { expectVersion: turn, turnId: `t${turn}`, key })).toMatchObject({
        applied: true,
      })
      fields.push(...names)
    }
    const read = async (from: typeof store) => (await from.users.load(key)).statements.map(({ name }) => name)
    expect(await read(store)).toEqual(fields)
    const lines = await collect(store.export({ agent: "fay" }))
    const other = await open()
    onTestFinished(() => other.close())
    await other.import(lines)
    expect(await read(other)).toEqual(fields)
  },
)
