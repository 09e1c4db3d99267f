import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

const page = readFileSync(new URL("../../../docs/turn.md", import.meta.url), "utf8")

/** The order that docs/turn.md draws for a kind of turn. */
function drawn(kind: string): string[] {
  const line = new RegExp(`^${kind} +(turn-start → .*)$`, "m").exec(page)?.[1]
  if (line === undefined) throw new Error(`docs/turn.md draws no ${kind} turn`)
  return line.split(" → ").map((type) => type.replace(" …", ""))
}

/** The order of a turn's events, deltas in a row as one. */
async function order(turn: AsyncIterable<TurnEvent>, on: (event: TurnEvent) => void = () => undefined): Promise<string[]> {
  const types: string[] = []
  for await (const event of turn) {
    if (event.type !== "text-delta" || types.at(-1) !== "text-delta") types.push(event.type)
    on(event)
  }
  return types
}

const clock = defineTool({ name: "clock", description: "", execute: () => "11:04" })

test("docs/turn.md draws the events of a plain turn as they come", async () => {
  const turn = testAgent(scriptedModel([finish("你好，主人。")])).session.send("你好")
  expect(await order(turn)).toEqual(drawn("plain"))
})

test("docs/turn.md draws the events of a tool turn as they come", async () => {
  const model = scriptedModel([callTool("clock"), finish("十一点零四分。")])
  const turn = testAgent(model, { prestart: [{ tool: "clock" }] }, { tools: [clock] }).session.send("几点")
  expect(await order(turn)).toEqual(drawn("tool"))
})

test("docs/turn.md draws the events of an aborted turn as they come", async () => {
  const model = scriptedModel([['{"action":"finish","message":"你', { stallUntilAborted: true }]])
  const turn = testAgent(model).session.send("你好")
  expect(await order(turn, (event) => event.type === "text-delta" && turn.abort())).toEqual(drawn("aborted"))
})
