import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { newEvent } from "../../../src/memory/forgetting/events/event-record.ts"
import { run } from "./run.ts"

const folder = mkdtempSync(join(tmpdir(), "promptstrata-events-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const now = { atMs: 0, turn: 0 }
const event = (stamp: string, startMs: number, grain: "day" | "moment") =>
  newEvent({ id: stamp, grain, stamp, startMs, endMs: startMs, text: `what happened at ${stamp}`, importance: 1 }, now)

function session(conversation: string, agent = "root") {
  const events = [event("20260208 3:16", 11_000, "moment"), event("20260208", 1_000, "day")]
  const kept = { version: 1, events, workspace: [], pulled: [], compressed: [], ended: [] }
  const state = { hooks: { "virtual-context": kept } }
  return JSON.stringify({ table: "session", agent, conversation, audience: "private", version: 1, state })
}

const path = join(folder, "export.jsonl")
writeFileSync(path, `${session("home")}\n${session("work")}\n${session("home", "somebody else")}\n`)

describe("promptstrata events", () => {
  test("R20: lists the events of a conversation in order of time", async () => {
    const listed = await run(["events", "root", "--from", path, "--conversation", "home", "--locale", "en"])
    const lines = ["# home", "20260208 what happened at 20260208", "20260208 3:16 what happened at 20260208 3:16", ""]
    expect(listed).toEqual({ code: 0, stdout: lines.join("\n"), stderr: "" })
  })

  test("R20: of all conversations, of one grain, as lines of JSON", async () => {
    const { stdout } = await run(["events", "root", "--from", path, "--grain", "day", "--json", "--locale", "en"])
    const found = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(found.map(({ conversation, events }) => [conversation, events.length])).toEqual([
      ["home", 1],
      ["work", 1],
    ])
  })

  test("R20: of a store that is named, such as one that a chat kept", async () => {
    const kept = join(folder, "kept")
    expect((await run(["memory", "import", path, "--profile", "root", "--store", kept, "--locale", "en"])).code).toBe(0)
    const { stdout } = await run(["events", "root", "--store", kept, "--conversation", "work", "--locale", "en"])
    expect(stdout).toContain("# work\n20260208 what happened")
  })

  test("says so where there are none, and where a file is missing", async () => {
    expect((await run(["events", "root", "--data-dir", folder, "--locale", "en"])).stderr).toContain("remembers no events yet")
    const missing = await run(["events", "root", "--from", join(folder, "nowhere.jsonl"), "--locale", "en"])
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("nowhere.jsonl")])
  })
})
