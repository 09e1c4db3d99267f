import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run, start } from "./run.ts"

const quoted = JSON.stringify

/** A folder with a profile that names a fake server, and the options that use it. */
function withServer(
  more = "",
  folder = tempFolder(),
  allow: readonly string[] = ["echo", "fail", "change"],
): { readonly folder: string; readonly options: readonly string[] } {
  const { command, args = [] } = fakeServer({}, {})
  const toml = `extends = "fay"\n[mcp.servers.fake]\ncommand = ${quoted(command)}\nargs = ${quoted(args)}\nallow = ${quoted(allow)}\n${more}`
  const profiles = tempFolder({ "mine.toml": toml })
  return { folder, options: ["--profile", join(profiles, "mine.toml"), "--locale", "en", "--data-dir", folder] }
}

describe("promptstrata mcp", () => {
  test("list shows servers and their tools, as text and as JSON", async () => {
    const { options } = withServer()
    const { code, stdout } = await run(["mcp", "list", ...options])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "fake (ready)\n  fake.echo  Says the same\n  fake.fail  The tool fail\n  fake.change  The tool change\n",
    })
    const json = await run(["mcp", "list", "--json", ...options])
    expect(JSON.parse(json.stdout)).toMatchObject([{ name: "fake", state: "ready", tools: [{ verdict: "approved" }, {}, {}] }])
  })

  test("call prints a result; a failure goes to stderr and into the exit code", async () => {
    const { options } = withServer()
    expect(await run(["mcp", "call", "fake.echo", '{"text":"hi\\u001b[2J"}', ...options])).toEqual({
      code: 0,
      stdout: "hi[2J\n",
      stderr: "",
    })
    expect(await run(["mcp", "call", "fake.fail", ...options])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "error: the disk is full\n",
    })
    expect(await run(["mcp", "call", "fake.echo", "[1]", ...options])).toMatchObject({ code: 2 })
    const unknown = await run(["mcp", "call", "fake.ecko", ...options])
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no usable tool fake.ecko. Usable tools: fake.echo"),
    })
  })

  test("call says in words that a server did not answer in time, or that the arguments do not fit", async () => {
    const { options } = withServer("timeout_ms = 200\n", tempFolder(), ["echo", "hang"])
    const chinese = options.map((option) => (option === "en" ? "zh-CN" : option))
    const late = await run(["mcp", "call", "fake.hang", ...options])
    expect([late.code, late.stderr]).toEqual([
      1,
      "error: fake.hang did not answer within 0.2 s. Its server's timeout_ms in the profile sets this time.\n",
    ])
    const unfit = await run(["mcp", "call", "fake.echo", '{"text":3}', ...options])
    expect([unfit.code, unfit.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: fake\.echo was not called\. Its arguments do not fit: .*text.*string/),
    ])
    expect((await run(["mcp", "call", "fake.echo", '{"text":3}', ...chinese])).stderr).toContain("因为参数不合要求：")
  })

  test("L24 approve --yes starts a program that changed, and goes on with its tools", async () => {
    const { folder, options } = withServer("")
    expect((await run(["mcp", "list", ...options])).code).toBe(0)
    // What a person approves is told to its end.
    const long = `LONG_${"X".repeat(150)}`
    const { options: here } = withServer(`env = { ${long} = "1", NEW = "1" }\n`, folder)
    const list = await run(["mcp", "list", ...here])
    expect([list.code, list.stdout]).toEqual([1, expect.stringContaining("it now runs")])
    const asked = await run(["mcp", "approve", ...here])
    expect(asked.stderr).toMatch(/^fake\nAnother definition.*\nThis server was not started\. It runs \[/m)
    expect(asked.stderr).toContain(` with the variables ${long}, NEW.\n1 tool`)
    expect((await run(["mcp", "approve", "--yes", ...here])).stdout).toBe(
      "approved fake\napproved fake.echo\napproved fake.fail\napproved fake.change\n",
    )
    expect((await run(["mcp", "list", ...here])).code).toBe(0)
  })

  test("approve shows definitions and keeps what was approved in the data folder", async () => {
    const { folder, options } = withServer('approve = "ask"\n')
    const kept = join(folder, "mcp-approvals.json")
    const asked = await run(["mcp", "approve", ...options])
    expect(asked.code).toBe(1)
    expect(asked.stderr).toContain('fake.echo\nSays the same\n{\n  "type": "object"')
    expect(existsSync(kept)).toBe(false)
    expect(await run(["mcp", "approve", "fake.echo", ...options])).toMatchObject({ code: 0, stdout: "approved fake.echo\n" })
    expect(Object.keys(JSON.parse(readFileSync(kept, "utf8")).approved)).toEqual(["fake", "fake.echo", "fake:settings"])
    expect((await run(["mcp", "list", ...options])).stdout).toContain("fake.fail  [waits for approval] The tool fail")
    expect((await run(["mcp", "approve", "--yes", ...options])).stdout).toBe("approved fake.fail\napproved fake.change\n")
    expect(await run(["mcp", "approve", ...options])).toMatchObject({ code: 0, stdout: "No tool waits for approval.\n" })
  })

  test("at a terminal it asks, and takes only yes for yes", async () => {
    const { options } = withServer('approve = "ask"\n')
    const terminal = start(["mcp", "approve", "fake.echo", "fake.fail", ...options], { terminal: true })
    await terminal.shows("Allow it? [y/N]")
    expect(terminal.written.stdout).toContain("? fake.echo wants to be used by the model. Its definition:")
    terminal.type("n\r")
    await terminal.shows("Allow it? [y/N]", 2)
    terminal.type("y\r")
    expect(await terminal.code).toBe(1)
    expect(terminal.written.stdout).toContain("approved fake.fail")
    expect(terminal.written.stdout).not.toContain("approved fake.echo")
  })

  test("a profile without servers says how to name one", async () => {
    const { code, stderr } = await run(["mcp", "list", "--profile", "fay", "--locale", "en"])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: The profile fay has no MCP servers. Add a table [mcp.servers.NAME] to it.\n",
    })
  })
})

describe("MCP servers of a profile", () => {
  test("two lines of TOML connect a filesystem server to the demo", async () => {
    const notes = tempFolder({ "todo.txt": "remember the milk" })
    const command = `${root}node_modules/.bin/mcp-server-filesystem`
    const toml = `extends = "fay"\n[mcp.servers]\nfiles = { command = ${quoted(command)}, args = [${quoted(notes)}] }\n`
    const profile = join(tempFolder({ "mine.toml": toml }), "mine.toml")
    const shared = ["--locale", "en", "--data-dir", tempFolder()]
    const shown = await run(["render", profile, ...shared])
    expect(shown.stdout).toContain("- files.read_text_file: ")
    const read = callTool("files.read_text_file", { path: join(notes, "todo.txt") })
    const model = scriptedModel([read, finish("Milk.")])
    const { code, stdout, stderr } = await run(["chat", profile, "--once", "What is to do?", ...shared], { model })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Milk.\n" })
    expect(stderr).toContain("✓ files.read_text_file = remember the milk")
  })

  test("N44 a server's question where nobody is there to answer is declined, and that is told", async () => {
    const { command, args = [] } = fakeServer({}, {})
    const toml = `extends = "fay"\n[mcp.servers.fake]\ncommand = ${quoted(command)}\nargs = ${quoted(args)}\nallow = ["elicit"]\n`
    const profile = join(tempFolder({ "mine.toml": toml }), "mine.toml")
    const model = scriptedModel([callTool("fake.elicit", {}), finish("Well.")])
    const given = ["chat", profile, "--once", "Ask.", "--locale", "en", "--data-dir", tempFolder()]
    const { stdout, stderr } = await run(given, { model })
    expect(stdout).toBe("Well.\n")
    expect(stderr).toContain('! MCP fake: Nobody could answer "Where?" with yes or no.')
  })

  test("a server that does not start is told of, and the chat goes on", async () => {
    const toml = 'extends = "fay"\n[mcp.servers]\nbad = { command = "/nowhere/at/all" }\n'
    const profile = join(tempFolder({ "mine.toml": toml }), "mine.toml")
    const model = scriptedModel([finish("Hello.")])
    const { code, stdout, stderr } = await run(["chat", profile, "--once", "hi", "--locale", "en", "--data-dir", tempFolder()], {
      model,
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello.\n" })
    expect(stderr).toContain("! MCP bad: It could not be started: ")
  })
})
