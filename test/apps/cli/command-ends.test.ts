import { truncateSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { describe, expect, onTestFinished, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import { runCli } from "../../../src/apps/cli/run-cli.ts"
import { cannotListen } from "../../../src/apps/cli/serve/serve.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { cleanProject } from "../../lint/lint-folder.ts"
import { finish } from "../../support/agents.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { fakeTerminal, jsonLines } from "../../support/terminal.ts"
import { plainProfile, run, start } from "./run.ts"

/** A chat of one question whose model cannot even be chosen. */
async function failing(thrown: unknown, ...args: readonly string[]) {
  const fake = fakeTerminal({ terminal: false, env: { PROMPTSTRATA_STORE: "none", LANG: "en_US.UTF-8" } })
  const code = await runCli(["chat", plainProfile, "--once", "hi", ...args], fake.io, {
    chooseModel: () => {
      throw thrown
    },
  })
  return { code, ...fake.written }
}

const bug = "This is a bug in promptstrata. Use --debug to see where it is."

describe("an error that ends the program", () => {
  test.each<[string, unknown, number, string]>([
    ["of ours is its message", new PromptStrataError("file", "no"), 1, "error: no\n"],
    ["has its hint below", new PromptStrataError("file", "no", { hint: "Do." }), 1, "error: no\nDo.\n"],
    ["of usage ends with 2", new PromptStrataError("usage", "no"), 2, "error: no\n"],
    ["of another kind is a bug", new Error("oh"), 1, `error: oh\n${bug}\n`],
    ["that is no error is a bug", "oh", 1, `error: oh\n${bug}\n`],
  ])("%s", async (_, thrown, code, stderr) => {
    expect(await failing(thrown)).toEqual({ code, stdout: "", stderr })
  })

  test("has its stack with --debug, that of its cause too, and no word of a bug", async () => {
    const cause = new TypeError("deep")
    const { stderr } = await failing(new PromptStrataError("file", "no", { cause }), "--debug")
    expect(stderr).toMatch(
      /^error: no\n(?:PromptStrata)?Error.*: no\n(?: {4}at .*\n)+caused by: TypeError: deep\n(?: {4}at .*\n)+$/,
    )
    const own = await failing(new Error("oh"), "--debug")
    expect(own.stderr).toMatch(/^error: oh\nError: oh\n {4}at /)
    expect(own.stderr).not.toMatch(/caused by|bug in/)
    const circle = new Error("round")
    circle.cause = circle
    expect((await failing(circle, "--debug")).stderr).not.toContain("caused by")
    expect((await failing("oh", "--debug")).stderr).toBe("error: oh\n")
  })

  test.each<[unknown, object]>([
    [new PromptStrataError("file", "no"), { code: "file", message: "no", evidence: {} }],
    [
      new PromptStrataError("usage", "no", { hint: "Do.", evidence: { name: "n" }, source: { file: "a", line: 2 } }),
      { code: "usage", message: expect.any(String), source: { file: "a", line: 2 }, hint: "Do.", evidence: { name: "n" } },
    ],
    [new Error("oh"), { code: "internal", message: "oh" }],
    ["oh", { code: "internal", message: "oh" }],
  ])("is a line of JSON with --json: %j", async (thrown, error) => {
    const { stdout, stderr } = await failing(thrown, "--json")
    expect([jsonLines(stdout), stderr]).toEqual([[{ type: "error", error }], ""])
    const both = await failing(thrown, "--json", "--debug")
    expect(jsonLines(both.stdout)).toHaveLength(1)
    expect(both.stderr).toMatch(/^error: /)
  })
})

describe("without a command", () => {
  test.each<[readonly string[], number, string]>([
    [["--once", "hi"], 0, "Hello.\n"],
    // A command behind its options is that command; behind an option it may be the option's value.
    [["--locale", "en", "chat", "--once", "hi"], 0, "Hello.\n"],
    [["--locale=en", "chat", "--once", "hi"], 0, "Hello.\n"],
    [["--data-dir", "none", "memory", "forget", "--help"], 0, expect.stringContaining("Usage: promptstrata memory forget")],
    [["--once", "memory"], 0, "Hello.\n"],
    [["--version"], 0, expect.stringMatching(/^\d+\.\d+\.\d+/)],
    [["-V"], 0, expect.stringMatching(/^\d+\.\d+\.\d+/)],
    [["-h"], 0, expect.stringContaining("Usage: promptstrata [options] [command]")],
    [["--help"], 0, expect.stringContaining("Usage: promptstrata [options] [command]")],
  ])("%j ends with %d", async (args, code, stdout) => {
    expect(await run(args, { model: scriptedModel([finish("Hello.")]) })).toMatchObject({ code, stdout })
  })

  test("the program is a chat of piped lines", async () => {
    expect(await run([], { input: "hi\n", model: scriptedModel([finish("Hello.")]) })).toMatchObject({
      code: 0,
      stdout: "Hello.\n",
    })
  })
})

describe("what a run leaves behind", () => {
  const counted = ({ io }: Pick<ReturnType<typeof fakeTerminal>, "io">) =>
    ["close", "keypress", "data", "end", "line"].map((event) => io.stdin.listenerCount(event))

  test("is no listener of a signal, of a store or of the input", async () => {
    let signals = 0
    const fake = fakeTerminal({ terminal: false, env: { LANG: "en_US.UTF-8" } })
    const before = counted(fake)
    const listening = (listen: (listener: () => void) => () => void) => (listener: () => void) => {
      signals++
      const stop = listen(listener)
      return () => {
        signals--
        stop()
      }
    }
    const io = {
      ...fake.io,
      onInterrupt: listening(fake.io.onInterrupt),
      onTerminate: listening(fake.io.onTerminate ?? (() => () => undefined)),
    }
    const code = runCli(["worker", plainProfile, "--data-dir", tempFolder()], io, {
      chooseModel: () => ({ model: scriptedModel([]), demo: false }),
    })
    await expect.poll(() => fake.written.stderr).toContain("SIGTERM")
    expect(signals).toBe(2)
    fake.terminate()
    expect([await code, signals, counted(fake)]).toEqual([0, 0, before])
  })

  test("is a store that can be opened at once, however the run ended", async () => {
    const folder = tempFolder()
    const asked = start(["chat", plainProfile, "--data-dir", folder], {
      model: scriptedModel([[{ stallUntilAborted: true }]]),
      terminal: true,
      env: { PROMPTSTRATA_STORE: "" },
    })
    await asked.shows("You: ")
    asked.interrupt()
    expect(await asked.code).toBe(130)
    const store = await openStore(folder)
    expect((await store.check()).ok).toBe(true)
    await store.close()
  })

  test("is an end without words when a pipe breaks, and a failure when output fails otherwise", async () => {
    for (const [problem, expected] of [
      [Object.assign(new Error("gone"), { code: "EPIPE" }), 0],
      [Object.assign(new Error("full"), { code: "ENOSPC" }), 1],
    ] as const)
      for (const stream of ["stdout", "stderr"] as const) {
        const fake = start(["chat", plainProfile], { model: scriptedModel([]) })
        fake.io[stream].emit("error", problem)
        expect([problem.code, stream, await fake.code]).toEqual([problem.code, stream, expected])
      }
  })
})

describe("the store of a command", () => {
  const list = async (args: readonly string[], env: Record<string, string>) => {
    const { code, stderr } = await run(["memory", "list", "--profile", plainProfile, ...args], { env })
    return [code, stderr] as const
  }

  test.each<[readonly string[], Record<string, string>, string]>([
    [["--store", "a", "--data-dir", "b"], { PROMPTSTRATA_STORE: "c" }, "There is no store in a yet."],
    [["--data-dir", "b"], { PROMPTSTRATA_STORE: "c" }, "There is no store in c yet."],
    [["--data-dir", "b"], { PROMPTSTRATA_STORE: "" }, "There is no store in b yet."],
    [["--no-store"], { PROMPTSTRATA_STORE: "c" }, "This command needs a store."],
    [["--store", "none"], { PROMPTSTRATA_STORE: "c" }, "This command needs a store."],
    [[], { PROMPTSTRATA_STORE: "none" }, "This command needs a store."],
  ])("%j with %j: %s", async (args, env, words) => {
    const [code, stderr] = await list(args, env)
    expect([code, stderr.slice(0, 7 + words.length)]).toEqual([1, `error: ${words}`])
  })

  test("is ./data of the folder that the program runs in, if nothing names one", async () => {
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(tempFolder())
    const [code, stderr] = await list([], { PROMPTSTRATA_STORE: "" })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: There is no store in \.\/data yet\./)])
  })
})

describe("an option that is a number", () => {
  test.each([
    [["memory", "list", "--limit", "0"], "Expected a whole number of at least 1."],
    [["memory", "list", "--limit", "1.5"], "Expected a whole number of at least 1."],
    [["memory", "list", "--limit", "9007199254740992"], "Expected a whole number of at least 1."],
    [["memory", "list", "--limit", ""], "Expected a whole number of at least 1."],
    [["chat", "--greeting", "-1"], "Expected a whole number of at least 1."],
    [["worker", "--drain", "-0.1"], "Expected a number of seconds of at least 0."],
    [["worker", "--drain", " "], "Expected a number of seconds of at least 0."],
    [["worker", "--drain", "Infinity"], "Expected a number of seconds of at least 0."],
    [["serve", "--port", "65536"], "Expected a port, 0 to 65535."],
    [["serve", "--port", "100000"], "Expected a port, 0 to 65535."],
    [["serve", "--port", "8e3"], "Expected a port, 0 to 65535."],
    [["inspect", "--port", ""], "Expected a port, 0 to 65535."],
  ])("%j is wrong usage", async (args, words) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(words)
  })

  test.each([
    ["memory", "list", "--limit", "1"],
    ["memory", "list", "--limit", "9007199254740991"],
    ["worker", "--no-store", "--drain", "0"],
    ["worker", "--no-store", "--drain", "0.5"],
  ])("%j %s %s %s is none", async (...args) => {
    expect((await run(args)).stderr).not.toContain("Expected a")
  })
})

describe("promptstrata mcp, whole", () => {
  const quoted = JSON.stringify

  function options(config: object, more = "", folder = tempFolder()) {
    const { command, args = [] } = fakeServer(config, {})
    const server = `[mcp.servers.fake]\ncommand = ${quoted(command)}\nargs = ${quoted(args)}\nallow = ["echo"]\n${more}`
    return [
      "--profile",
      join(tempFolder({ "mine.toml": `extends = "fay"\n${server}` }), "mine.toml"),
      "--locale",
      "en",
      "--data-dir",
      folder,
    ]
  }

  test("list of a server that does not run says why, and fails", async () => {
    const { code, stdout, stderr } = await run(["mcp", "list", ...options({ exit: true })])
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^fake \(not running\): \S.*\n$/)])
    expect(stderr).toContain("! MCP fake: ")
    const json = await run(["mcp", "list", "--json", ...options({ exit: true })])
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, [{ name: "fake", tools: [] }]])
    expect(json.stdout.split("\n")).toHaveLength(2)
  })

  test("list shows a hundred characters of a description", async () => {
    const { stdout } = await run(["mcp", "list", ...options({ echo: `${"x".repeat(100)}y` })])
    expect(stdout).toBe(`fake (ready)\n  fake.echo  ${"x".repeat(100)}…\n`)
  })

  test("approve tells a changed definition from a new one, and what still waits", async () => {
    const data = tempFolder()
    const ask = (echo: string) => options({ echo }, 'approve = "ask"\n', data)
    const first = await run(["mcp", "approve", ...ask("one")])
    const definition = (words: string) =>
      `fake.echo\n${words}\n{\n  "type": "object",\n  "properties": {\n    "text": {\n      "type": "string"\n    }\n  }\n}\n`
    const waits = "1 tool waits for approval. Approve it in a terminal, name it, or use --yes.\n"
    expect({ ...first, stderr: first.stderr.replace(/^! .*\n/gm, "") }).toEqual({
      code: 1,
      stdout: "",
      stderr: `${definition("one")}${waits}`,
    })
    await run(["mcp", "approve", "--yes", ...ask("one")])
    const held = await run(["mcp", "approve", ...ask("two")])
    expect(held.stderr).toMatch(/^fake\nAnother definition.*\nThis server was not started\. It runs \[/m)
    expect((await run(["mcp", "approve", "fake", "--yes", ...ask("two")])).stdout).toBe("approved fake\n")
    const changed = await run(["mcp", "approve", ...ask("two")])
    expect(changed.stderr.replace(/^! .*\n/gm, "")).toBe(
      `${definition("Another definition of this tool, or another program or address of its server, was approved.\ntwo")}${waits}`,
    )
    expect((await run(["mcp", "list", ...ask("two")])).stdout).toBe(
      "fake (ready)\n  fake.echo  [CHANGED, waits for approval] two\n",
    )
    expect(await run(["mcp", "approve", "fake.other", ...ask("two")])).toMatchObject({
      code: 0,
      stdout: "No tool waits for approval.\n",
    })
    const none = await run(["mcp", "call", "fake.echo", ...ask("two")])
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining("error: There is no usable tool fake.echo. Usable tools: -.\n"),
    ])
  })

  test("call takes no arguments for an empty object, and refuses all but one", async () => {
    const own = options({})
    expect(await run(["mcp", "call", "fake.echo", ...own])).toMatchObject({ code: 0, stdout: "\n" })
    for (const args of ["[]", "3", "{", "null"])
      expect(await run(["mcp", "call", "fake.echo", args, ...own])).toEqual({
        code: 2,
        stdout: "",
        stderr: 'error: Expected the arguments as a JSON object, such as {"path": "notes.txt"}.\n',
      })
  })
})

describe("a port that cannot be listened at", () => {
  const at = { host: "h", port: 7 }
  test.each([
    ["EADDRINUSE", "another program listens there"],
    ["EACCES", "this user may not listen there"],
    ["EADDRNOTAVAIL", "this computer has no such address"],
    ["ENOTFOUND", "there is no such host"],
  ])("with %s says that %s", (code, reason) => {
    const cause = Object.assign(new Error("x"), { code })
    const message = `expected a free port at h:7, but ${reason}.\nChoose another one with --port or --host; --port 0 takes any free port.`
    expect(cannotListen(cause, at)).toMatchObject({ code: "usage", message, cause })
  })

  test.each([Object.assign(new Error("x"), { code: "EOTHER" }), new Error("x"), { code: "EACCES" }, "x"])(
    "for another reason is that error: %j",
    (thrown) => expect(cannotListen(thrown, at)).toBe(thrown),
  )
})

test("a file of more than 256 MiB is read by no import", async () => {
  const path = join(tempFolder({ big: "" }), "big")
  truncateSync(path, 256 * 1024 * 1024 + 1)
  const { code, stderr } = await run(["import", path])
  expect([code, stderr]).toEqual([2, expect.stringContaining("found a file of 268435457 bytes, more than 268435456.")])
})

describe("the colours of lint", () => {
  const project = (persona: string) =>
    `${tempFolder({ ...cleanProject, "prompts/characters/en/luna.md": persona })}/profiles/luna.toml`
  const summary = async (persona: string, env: Record<string, string>) =>
    (await run(["lint", project(persona)], { env })).stdout.trimEnd().split("\n").at(-1)
  const clean = String(cleanProject["prompts/characters/en/luna.md"])

  test.each([
    [clean, "\u001b[1m0 errors, 0 warnings in 2 files\u001b[22m"],
    [`${clean}tea \n`, "\u001b[33m0 errors, 1 warning in 2 files\u001b[39m"],
    [`${clean}tea\u202e\n`, "\u001b[31m1 error, 0 warnings in 2 files\u001b[39m"],
    [`${clean}tea\u202e \n`, "\u001b[31m1 error, 1 warning in 2 files\u001b[39m"],
  ])("of %j end with %j", async (persona, line) => {
    expect(await summary(persona, { FORCE_COLOR: "1" })).toBe(line)
    expect(await summary(persona, {})).toBe(stripVTControlCharacters(line))
  })

  test.each([
    [`${clean}tea \n`, "\u001b[33mwarning\u001b[39m"],
    [`${clean}tea\u202e\n`, "\u001b[31merror\u001b[39m"],
  ])("of %j mark each problem with %j", async (persona, label) => {
    const [first] = (await run(["lint", project(persona)], { env: { FORCE_COLOR: "1" } })).stdout.split("\n")
    expect(first).toContain(`\u001b[22m ${label} `)
  })
})
