import { expect, test, vi } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../src/testing/index.ts"

vi.mock("../../../src/loop/turn/shown-attachments.ts", () => {
  throw new Error("the file is gone")
})

test("a file of the model whose reader cannot be loaded is told, and the words stay", async () => {
  const picture = { type: "file", mediaType: "image/png", base64: "aGVsbG8=" } as const
  const model = scriptedModel([["Here.", picture]])
  const profile = resolveProfile({ name: "test", persona: "You are Fay.", loop: { mode: "chat" } })
  const agent = createAgent({ profile, model })
  const result = await agent.session("one").send("Draw.").result
  expect(result).toMatchObject({ ok: true, text: "Here." })
  expect(result.trace.warnings).toEqual([{ kind: "file", message: expect.stringContaining("lacks a file of scripted") }])
  await agent.close()
})
