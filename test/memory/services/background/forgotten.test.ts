import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { collect, testAgent } from "../../../support/agents.ts"
import { type BackgroundAnswers, backgroundModel } from "../../../support/remembering.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const background = ["importance", "profile", "reflection"] as const
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

describe("a user who is forgotten by another process while the model is asked", () => {
  test.each(background)("for %s is in no table afterwards, and nobody is warned", async (prompt) => {
    const file = join(tempFolder(), "store.sqlite")
    const [store, other] = [await openSqliteStore(file), await openSqliteStore(file)]
    closing.push(() => other.close())
    const usual = { importance: "9", profile: '{"city": "Hangzhou"}', reflection: '[{"insight": "canary", "memories": ["1"]}]' }
    let forgotten: Promise<unknown> | undefined
    const answers: BackgroundAnswers = {
      ...usual,
      [prompt]: () => {
        forgotten = other.forget({ agent: "test", user: "test" })
        return usual[prompt]
      },
    }
    const model = backgroundModel(answers)
    const slow = { ...model, stream: model.stream }
    slow.stream = async function* (request, options) {
      const parts = await collect(model.stream(request, options))
      // The model answers after the user was forgotten.
      await forgotten
      yield* parts
    }
    const warnings: string[] = []
    const onWarning = ({ message }: { readonly message: string }): void => void warnings.push(message)
    const { agent, session } = testAgent(slow, { memory: { reflectEvery: 1 } }, { store, onWarning })
    await session.send("canary").result
    await agent.idle()
    await agent.close()
    await store.close()
    expect(forgotten).toBeDefined()
    const { user: _, ...counts } = (await other.check()).counts
    expect(Object.values(counts).filter((count) => count > 0)).toEqual([])
    expect(warnings).toEqual([])
  })
})
