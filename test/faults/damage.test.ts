import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { fileApprovals } from "../../src/adapters/mcp/approvals.ts"
import { readBody } from "../../src/adapters/stores/sql/row-body.ts"
import { fromKeyText } from "../../src/adapters/stores/sql/sql-database.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { openDocuments } from "../../src/node/living-documents.ts"
import { scheduleTools } from "../../src/node/schedule-tools.ts"
import { answerOf } from "../prompt/tools/builtin/run-tool.ts"
import { tempFolder } from "../support/temp-folder.ts"

const clock = { nowMs: () => 0 }

describe("a file whose damage could go unseen", () => {
  test("that is an entry of the history brings nothing back", async () => {
    const folder = tempFolder()
    const { workspace } = await openDocuments(folder)
    await workspace.write("MEMORY.md", "one", { by: "test" })
    await workspace.write("MEMORY.md", "two", { by: "test" })
    const history = join(folder, ".promptstrata/history")
    const entry = join(history, readdirSync(history).sort().at(-1) ?? "")
    writeFileSync(entry, readFileSync(entry, "utf8").replace(/one$/u, "ono"))
    await expect(workspace.undo({ by: "test" })).rejects.toMatchObject({ code: "file", evidence: { path: "MEMORY.md" } })
    expect((await workspace.read("MEMORY.md")).text).toBe("two")
  })

  test.each([
    ['{"version":1,"approved":{"a.b":7}}', 'the fingerprint of "a.b" is no text'],
    [Buffer.from('{"approved":{"a\xff":"1"}}', "latin1"), "expected UTF-8 text"],
  ])("that is a list of approvals loses none of them unseen: %s", async (content, message) => {
    const path = join(tempFolder({ "approvals.json": content }), "approvals.json")
    await expect(fileApprovals(path).load()).rejects.toMatchObject({ code: "mcp", message: expect.stringContaining(message) })
    await expect(fileApprovals(path).save({ z: "3" })).rejects.toThrow(message)
  })

  test("that is a schedule of other bytes than text is not listed with wrong words", async () => {
    const item = '{"id":1,"title":"t\xff","scheduleTime":"","createdAt":""}'
    const schedule = Buffer.from(`{"version":1,"nextId":2,"items":[${item}]}`, "latin1")
    const [, list] = scheduleTools({ folder: tempFolder({ "schedule.json": schedule }), clock, locale: "en" })
    expect(await answerOf(list, {})).toContain("schedule.json: expected UTF-8 text")
  })

  test.each([
    ['{"table":"job","job":{"id":"j","kind":"k","turnId":"t"},"attempts":0}', "needs job.key.agent"],
    [`{"table":"session","agent":"a","conversation":"c","audience":"all","version":1,"state":{}}`, "needs audience"],
    [`{"table":"session","agent":"a","conversation":"c","audience":"group","version":1e400,"state":{}}`, "is too large"],
    ['{"table":"vector","agent":"a","memoryId":"m","model":"x","values":"?"}', "no vector in base64"],
  ])("that is an export is refused with its line: %s", async (line, message) => {
    const imported = createInMemoryStore().import(["", line])
    await expect(imported).rejects.toMatchObject({
      code: "store",
      evidence: { line: 2 },
      message: expect.stringContaining(message),
    })
  })

  test("that is a store is refused for a body without text and a key that is no key", () => {
    const row = { table: "messages", columns: { position: 3 } }
    expect(() => readBody(null as never, row)).toThrow("found no text, in messages (position 3)")
    expect(() => fromKeyText('"half')).toThrow("Expected a key that was written")
  })
})
