import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Command } from "commander"
import { describe, expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import { storeFile } from "../../../src/adapters/stores/sqlite/store-file.ts"
import { createProgram } from "../../../src/apps/cli/run-cli.ts"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import { newEvent } from "../../../src/memory/forgetting/events/event-record.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { fakeTerminal } from "../../support/terminal.ts"
import { type StartOptions, start } from "./run.ts"

/** Text that erases the screen, sets the title, colours, rings, turns the direction, or hides. */
const hostile = "a\u001b[2Jb\u001b]0;t\u0007c\u009b31md\u202ee\u2066f\u{e0041}g\u0085h\u007fi\u2028j\u200ek\rl"

/** Everything that acts on a terminal, apart from line breaks and tabs. */
const acting = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u

const key: ServiceKey = { agent: "evil", conversation: hostile, audience: "private", user: hostile }
const speaker = { id: hostile, name: hostile }

/** A card with the text in every field, in good places and in wrong ones. */
const hostileCard = {
  ...{ name: hostile, description: hostile, personality: hostile, first_mes: hostile, creator_notes: hostile },
  ...{ creator: hostile, character_version: hostile, tags: [hostile], alternate_greetings: `{{${hostile}}}` },
  assets: [{ type: hostile, name: hostile, uri: hostile, ext: hostile }],
  character_book: {
    entries: [{ keys: [hostile, `/(${hostile}/`], comment: hostile, content: hostile, insertion_order: hostile }],
  },
}

/** A folder with a store of hostile rows and a workspace, and in it a folder of a hostile name with profiles. */
async function hostileWorld() {
  const folder = tempFolder()
  const odd = join(folder, hostile)
  mkdirSync(odd)
  const profile = join(odd, "evil.toml")
  const text = JSON.stringify(hostile).replaceAll("\u007f", "\\u007F")
  const agent = 'extends = "root"\nlocale = "en"\n[agent]\nid = "evil"\nname = "Evil"\n'
  writeFileSync(profile, agent)
  const { command, args = [] } = fakeServer({}, {})
  const server = `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nallow = ["echo", "fail"]`
  writeFileSync(join(odd, "mcp.toml"), `${agent}[mcp.servers.fake]\n${server}\n`)
  writeFileSync(join(odd, "evil.json"), JSON.stringify(hostileCard))
  const line = { name: hostile, is_user: false, mes: hostile, send_date: hostile, [hostile]: hostile, extra: { [hostile]: 1 } }
  const prompt = { identifier: hostile, name: hostile, content: `{{${hostile}}}`, role: hostile }
  writeFileSync(join(odd, "preset.json"), JSON.stringify({ prompts: [prompt], [hostile]: hostile, personality_format: hostile }))
  const evilServer = { command: hostile, args: [hostile], env: { [hostile]: hostile }, [hostile]: hostile }
  writeFileSync(join(odd, "servers.json"), JSON.stringify({ mcpServers: { [hostile]: evilServer } }))
  mkdirSync(join(odd, "claw"))
  writeFileSync(join(odd, "claw", "IDENTITY.md"), `Name: ${hostile}`)
  writeFileSync(join(odd, "claw", hostile), hostile)
  writeFileSync(join(odd, "evil.jsonl"), `${JSON.stringify(line)}\n${JSON.stringify({ ...line, name: "b" })}\n`)
  const days = `days 2\nday 1 say "${hostile}"\nexpect remembered "${hostile}!" on day 1\n`
  writeFileSync(join(odd, "days.txt"), days.replaceAll("\r", ""))
  writeFileSync(join(odd, "bad.toml"), `[agent]\nname = ${text}\n`)
  const store = await openStore(folder)
  const events = [
    newEvent(
      { id: "e", grain: "day", stamp: "20260208", startMs: 1, endMs: 1, text: hostile, importance: 1 },
      { atMs: 0, turn: 0 },
    ),
  ]
  const kept = { version: 1, events, workspace: [], pulled: [], compressed: [], ended: [] }
  const said = { role: "user" as const, speaker, turnId: "t1", text: hostile, atMs: 1 }
  const job = { id: hostile, kind: hostile, key, turnId: "t1", atMs: 1, payload: { hostile } }
  await store.commit(key, { expectVersion: 0, append: [said], state: { hooks: { "virtual-context": kept } }, jobs: [job] })
  const memory = { ...key, id: hostile, kind: "dialogue" as const, text: hostile, speaker, atMs: 1, turnId: "t1", turn: 0 }
  await store.memories.put(memory, { hash: "1", key })
  const statement = {
    name: hostile,
    value: hostile,
    confidence: 1,
    turnId: "t1",
    conversation: hostile,
    audience: "private",
    atMs: 1,
  } as const
  await store.users.append([statement], { turnId: "t1", expectVersion: 0, key })
  const receipt = {
    kind: "importance" as const,
    turnId: "t1",
    attempt: 1,
    durationMs: 1,
    startedMs: 0,
    outcome: "failed" as const,
    message: hostile,
  }
  await store.receipts.put({ ...receipt, key })
  await store.receipts.put({ ...receipt, key: { ...key, agent: hostile } })
  await store.close()
  const database = new DatabaseSync(storeFile(folder))
  database.exec(`update jobs set state = 'dead', error = 'no ${hostile}', ended_ms = 1`)
  database.close()
  mkdirSync(join(folder, "workspace"))
  const workspace = await openFolder(join(folder, "workspace"))
  await workspace.write("notes.md", hostile, { by: hostile, expect: undefined })
  return { folder, odd, profile }
}

type World = Awaited<ReturnType<typeof hostileWorld>>
type Case = { readonly name: string; readonly args: (world: World) => readonly string[] } & StartOptions

const env = { PROMPTSTRATA_STORE: "", NO_COLOR: "1" }
const model = () => scriptedModel([finish(hostile), finish(hostile)])
const on = ({ profile, folder }: World) => ["--profile", profile, "--data-dir", folder]
const onServers = ({ odd, folder }: World) => ["--profile", join(odd, "mcp.toml"), "--data-dir", folder]

const cases: readonly Case[] = [
  {
    name: "chat",
    args: ({ profile, folder }) => ["chat", profile, "--data-dir", folder],
    input: `${hostile}\n/prompt\n/memory\n/${hostile}\n`,
  },
  {
    name: "chat",
    args: ({ profile, folder }) => ["chat", profile, "--data-dir", folder, "--once", hostile, "--show", "prompt"],
  },
  { name: "chat", args: ({ profile, folder }) => ["chat", profile, "--data-dir", folder, "--once", hostile, "--json"] },
  { name: "serve", args: ({ profile, folder }) => ["serve", profile, "--data-dir", folder, "--host", hostile] },
  { name: "serve", args: ({ profile, odd }) => ["serve", profile, join(odd, "mcp.toml"), "--no-store", "--port", "0"] },
  { name: "serve", args: ({ profile }) => ["serve", profile, "--no-store", "--port", "0"] },
  ...["bad.toml", "evil.toml"].map((file) => ({
    name: "inspect",
    args: ({ odd }: World) => ["inspect", join(odd, file), "--no-store"],
  })),
  { name: "bot telegram", args: ({ odd }) => ["bot", "telegram", join(odd, "bad.toml"), "--drain", hostile] },
  { name: "bot discord", args: ({ odd }) => ["bot", "discord", join(odd, "bad.toml"), "--drain", hostile] },
  { name: "bot koishi", args: ({ odd }) => ["bot", "koishi", join(odd, "bad.toml"), "--config", hostile] },
  { name: "init", args: ({ odd }) => ["init", join(odd, "luna"), "--name", "Luna"] },
  { name: "init", args: ({ odd }) => ["init", join(odd, "new"), "--name", hostile] },
  { name: "chat", args: ({ odd, folder }) => ["chat", join(odd, "evil.json"), "--data-dir", folder], input: "hi\n" },
  ...["show", "lint", "export"].flatMap((name) =>
    ["evil.json", "evil.toml", `${hostile}.png`].map((file) => ({
      name: `card ${name}`,
      args: ({ odd }: World) => ["card", name, join(odd, file), ...(name === "export" ? [join(odd, `${file}.charx`)] : [])],
    })),
  ),
  { name: "card show", args: ({ odd }) => ["card", "show", join(odd, "evil.json"), "--json"] },
  ...["evil.json", "evil.toml", `${hostile}.png`].map((file) => ({
    name: "card import",
    args: ({ odd }: World) => ["card", "import", join(odd, file), join(odd, "imported")],
  })),
  ...["evil.json", "evil.toml", "evil.jsonl", "preset.json", "servers.json", "claw", `${hostile}.png`].map((file) => ({
    name: "import",
    args: (world: World) => [
      "import",
      join(world.odd, file),
      ...(file.endsWith("l") ? [] : [join(world.odd, "new")]),
      ...on(world),
    ],
  })),
  { name: "lint", args: ({ odd }) => ["lint", join(odd, "imported/profiles/a-2jb-0-tc31mdefg-hi-jk-l.toml")] },
  { name: "undo", args: (world) => ["undo", "--list", ...on(world)] },
  { name: "undo", args: (world) => ["undo", hostile, ...on(world)] },
  { name: "undo", args: ({ profile, folder }) => ["undo", "--profile", profile, "--data-dir", join(folder, hostile)] },
  ...["--sections", "--json", "--locale=en"].map((how) => ({
    name: "render",
    args: ({ profile, folder }: World) => ["render", profile, "--data-dir", folder, "--question", hostile, how],
  })),
  { name: "render", args: ({ profile }) => ["render", profile, "--prompt", hostile] },
  ...["text", "json"].map((format) => ({ name: "lint", args: ({ profile }: World) => ["lint", profile, "--format", format] })),
  { name: "lint", args: ({ profile }) => ["lint", profile, "--rule", hostile] },
  { name: "lint", args: ({ odd }) => ["lint", join(odd, "bad.toml")] },
  { name: "schema", args: () => ["schema"] },
  ...["table", "json", "html"].map((form) => ({
    name: "simulate",
    args: ({ profile, odd }: World) => [
      "simulate",
      join(odd, "days.txt"),
      "--profile",
      profile,
      ...(form === "table" ? [] : [`--${form}`]),
    ],
  })),
  { name: "simulate", args: ({ profile, odd }) => ["simulate", join(odd, "bad.toml"), "--profile", profile] },
  { name: "mcp list", args: (world) => ["mcp", "list", ...onServers(world)] },
  { name: "mcp list", args: (world) => ["mcp", "list", "--json", ...onServers(world)] },
  { name: "mcp call", args: (world) => ["mcp", "call", "fake.echo", JSON.stringify({ text: hostile }), ...onServers(world)] },
  { name: "mcp call", args: (world) => ["mcp", "call", hostile, ...onServers(world)] },
  { name: "mcp approve", args: (world) => ["mcp", "approve", hostile, ...onServers(world)] },
  ...["list", "receipts", "list --json", "receipts --json", "list --all", "export", "forget"].map((command) => ({
    name: `memory ${command.split(" ")[0]}`,
    args: (world: World) => ["memory", ...command.split(" "), ...on(world)],
  })),
  { name: "memory list", args: (world) => ["memory", "list", "--user", "nobody", ...on(world)] },
  { name: "memory why", args: (world) => ["memory", "why", hostile, "--user", hostile, ...on(world)] },
  { name: "memory why", args: (world) => ["memory", "why", hostile, "--user", hostile, "--json", ...on(world)] },
  { name: "memory show", args: (world) => ["memory", "show", hostile, ...on(world)] },
  { name: "memory show", args: (world) => ["memory", "show", `${hostile}!`, ...on(world)] },
  { name: "memory show", args: (world) => ["memory", "show", hostile, "--json", ...on(world)] },
  { name: "memory export", args: (world) => ["memory", "export", "--out", join(world.folder, hostile), ...on(world)] },
  { name: "memory import", args: (world) => ["memory", "import", join(world.folder, hostile), ...on(world)] },
  { name: "memory import", args: (world) => ["memory", "import", "-", ...on(world)], input: `${hostile}\n` },
  { name: "memory forget", args: (world) => ["memory", "forget", "--user", hostile, ...on(world)] },
  {
    name: "memory list",
    args: ({ profile, folder }) => ["memory", "list", "--profile", profile, "--store", join(folder, hostile)],
  },
  { name: "user show", args: (world) => ["user", "show", hostile, ...on(world)] },
  { name: "user show", args: (world) => ["user", "show", hostile, "--json", ...on(world)] },
  { name: "user show", args: (world) => ["user", "show", `${hostile}!`, ...on(world)] },
  { name: "schedule list", args: (world) => ["schedule", "list", "--user", hostile, ...on(world)] },
  { name: "schedule cancel", args: (world) => ["schedule", "cancel", hostile, ...on(world)] },
  { name: "events", args: ({ profile, folder }) => ["events", profile, "--data-dir", folder] },
  { name: "events", args: ({ profile, folder }) => ["events", profile, "--data-dir", folder, "--json"] },
  { name: "events", args: ({ profile, folder }) => ["events", profile, "--data-dir", folder, "--conversation", "none"] },
  { name: "cost", args: (world) => ["cost", ...on(world)] },
  { name: "cost", args: (world) => ["cost", "--user", hostile, ...on(world)] },
  { name: "cost", args: (world) => ["cost", "--prices", join(world.folder, hostile), ...on(world)] },
  { name: "doctor", args: (world) => ["doctor", ...on(world)] },
  { name: "doctor", args: (world) => ["doctor", "--json", ...on(world)] },
  { name: "doctor", args: (world) => ["doctor", "--backup", join(world.folder, `${hostile}2`), ...on(world)] },
  { name: "doctor", args: (world) => ["doctor", "--repair", join(world.folder, `${hostile}3`), ...on(world)] },
  { name: "worker", args: ({ profile, folder }) => ["worker", profile, "--data-dir", folder, "--drain", hostile] },
  { name: "worker", args: ({ profile }) => ["worker", profile, "--no-store"] },
  { name: "worker", args: ({ profile, folder }) => ["worker", profile, "--data-dir", folder, "--store", folder] },
  { name: "memory forget", args: (world) => ["memory", "forget", "--yes", ...on(world)] },
  { name: "memory list", args: (world) => ["memory", "list", ...on(world)] },
]

/** The names of all commands that do something. */
function commandNames(command: Command, before = ""): readonly string[] {
  return command.commands.flatMap((sub) => {
    const name = `${before}${sub.name()}`
    return sub.commands.length === 0 ? [name] : commandNames(sub, `${name} `)
  })
}

describe("hostile text", () => {
  test("is printed by no command so that it acts on a terminal", async () => {
    const world = await hostileWorld()
    const leaks: unknown[] = []
    let printed = ""
    for (const { args, ...options } of cases) {
      const given = args(world)
      const run = start(given, { env, model: model(), ...options })
      // A worker goes on until it is told to end. A turn whose next one is answered already is judged with that.
      if (given.includes("--store") && given[0] === "worker") void run.shows("turn-").then(run.interrupt)
      if (given[0] === "inspect") void run.shows("http://").then(run.interrupt)
      if (given[0] === "serve") void run.shows("SIGTERM").then(run.interrupt)
      const code = await run.code
      const { stdout, stderr } = run.written
      printed += stdout + stderr
      for (const [stream, text] of Object.entries({ stdout, stderr })) {
        const line = text.split("\n").find((candidate) => acting.test(candidate))
        if (line !== undefined) leaks.push([given.slice(0, 3), stream, line.slice(0, 300)])
      }
      expect([code, stdout + stderr]).not.toEqual([0, ""])
    }
    expect(leaks).toEqual([])
    expect(printed).toContain("a[2Jb]0;tc31md")
  })

  test("has a case for every command", async () => {
    const program = await createProgram(fakeTerminal().io, async () => undefined)
    expect(new Set(cases.map(({ name }) => name))).toEqual(new Set(commandNames(program)))
  })
})
