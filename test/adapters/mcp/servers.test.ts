import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { hostTimers, type Timers } from "../../../src/core/ports.ts"
import { connected, isRunning } from "../../support/mcp/connected.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)

describe("servers over stdio", () => {
  test("a server's tools are named after it, with the server's words as words from a wire", async () => {
    const { mcp, call, warnings } = await connected({ fake: fakeServer() })
    expect(mcp.tools[0]).toMatchObject({
      name: "fake.echo",
      group: "external",
      description: "Says the same",
      trust: "tool",
      visibility: "planner",
      repeatable: false,
      needsApproval: false,
    })
    expect(await call("fake.echo", { text: "你好" })).toBe("你好")
    expect(warnings).toEqual([])
  })

  test("a tool that is gone is refused, and no server is started for it", async () => {
    const late = { name: "late", inputSchema: { type: "object" } }
    const { mcp, call, changed } = await connected({ fake: fakeServer({ tools: [late] }) })
    const tool = mcp.currentTools().find(({ name }) => name === "fake.late")
    const isListed = changed()
    await call("fake.remove")
    await isListed
    expect(names(mcp.currentTools())).not.toContain("fake.late")
    await call("fake.crash").catch(() => undefined)
    await expect.poll(() => mcp.servers()[0]?.state).not.toBe("ready")
    const state = mcp.servers()[0]?.state
    const executed = tool?.execute({}, { signal: new AbortController().signal } as never)
    expect(mcp.servers()[0]?.state).toBe(state)
    await expect(executed).rejects.toThrow("The server no longer offers this tool.")
    expect(mcp.servers()[0]?.state).toBe(state)
  })

  test("a server that ends at once is a warning, and the other lives", async () => {
    const { mcp, warnings, call } = await connected({ bad: fakeServer({ exit: true }), good: fakeServer() })
    expect(warnings.map(({ server, kind }) => [server, kind])).toEqual([["bad", "start"]])
    expect(await call("good.echo", { text: "x" })).toBe("x")
    expect(mcp.servers().map(({ name, tools }) => [name, tools.length > 0])).toEqual([
      ["bad", false],
      ["good", true],
    ])
  })

  test("L15: one that nobody has reviewed is not started, and a warning says where it leads, without the address's query", async () => {
    const touched = join(tempFolder(), "touched")
    const program = { command: process.execPath, args: ["-e", `fs.writeFileSync(${JSON.stringify(touched)}, "")`], cwd: "/" }
    const { mcp, warnings } = await connected({
      web: { url: "http://127.0.0.1:9/mcp?key=s3", reviewed: false },
      program: { ...program, reviewed: false },
      off: { ...program, reviewed: false, disabled: true },
    })
    expect(existsSync(touched)).toBe(false)
    expect(mcp.servers()).toMatchObject([
      { name: "web", state: "unreviewed", connected: 0, tools: [] },
      { name: "program", state: "unreviewed", connected: 0, tools: [] },
    ])
    expect(warnings.map(({ message }) => message)).toEqual([
      "Not started: nobody has reviewed this imported server, which leads to http://127.0.0.1:9/mcp?…. To allow it, read its settings and delete reviewed = false from [mcp.servers.web] of the profile.",
      expect.stringContaining(`which runs ["${process.execPath}","-e","fs.writeFileSync`),
    ])
    await expect(mcp.readResource("web", "x://y")).rejects.toThrow("expected a connected MCP server")
  })

  test("a program that does not exist is a warning", async () => {
    const { warnings } = await connected({ none: { command: "/nowhere/at/all" } })
    expect(warnings[0]?.message).toMatch(/could not be started: .*ENOENT/)
  })

  test("a server that never answers the handshake is given up in time and leaves no process, though it ignores signals", async () => {
    const readyFile = join(tempFolder(), "ready")
    // The limit is over once the server has begun, however long that takes.
    const timers: Timers = {
      ...hostTimers,
      set: (callback, delayMs) => {
        if (delayMs !== 3_000) return hostTimers.set(callback, delayMs)
        const poll = async () => {
          await expect.poll(() => existsSync(readyFile)).toBe(true)
          for (let round = 0; round < 5; round++) await new Promise(setImmediate)
          callback()
        }
        return poll()
      },
    }
    const config = { silent: true, stubborn: true, readyFile }
    const { mcp, warnings } = await connected({ dumb: fakeServer(config, { startTimeoutMs: 3_000 }) }, { ports: { timers } })
    expect(warnings[0]?.message).toMatch(
      /^It could not be started: it was not ready within 3000 ms; the last line it wrote is "pid \d+"/,
    )
    const pid = Number(/pid (\d+)/.exec(mcp.servers()[0]?.stderr ?? "")?.[1])
    expect(pid).toBeGreaterThan(1)
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  test("a server has fifteen seconds to start and to list its tools again, and no timer is left of it", async () => {
    const open = new Map<unknown, number>()
    const all: number[] = []
    const timers: Timers = {
      ...hostTimers,
      set: (callback, delayMs) => {
        // The limit never ends here: a server on a busy machine can need longer.
        const timer = delayMs === 15_000 ? {} : hostTimers.set(callback, delayMs)
        all.push(delayMs)
        open.set(timer, delayMs)
        return timer
      },
      clear(timer) {
        const delayMs = open.get(timer)
        open.delete(timer)
        if (delayMs !== 15_000) hostTimers.clear(timer)
      },
    }
    const { startTimeoutMs: _, ...settings } = fakeServer()
    const { call, changed } = await connected(
      { fake: { ...settings, startTimeoutMs: undefined } as never },
      { ports: { timers } },
    )
    expect([all.filter((delayMs) => delayMs === 15_000).length, [...open.values()].includes(15_000)]).toEqual([1, false])
    const news = changed()
    await call("fake.change")
    await news
    await expect.poll(() => all.filter((delayMs) => delayMs === 15_000).length).toBeGreaterThan(1)
    await expect.poll(() => [...open.values()].includes(15_000)).toBe(false)
  })

  test("bad tools of a list are left out with a warning each, and the rest live", async () => {
    const schema = { type: "object" }
    const { mcp, warnings } = await connected({
      fake: fakeServer({
        tools: [
          { description: "no name", inputSchema: schema },
          { name: "no_schema" },
          { name: "list", inputSchema: { type: "array" } },
          { name: "odd", inputSchema: { type: "object", properties: 7 } },
          { name: "two words", inputSchema: schema },
          { name: "line\nbreak", inputSchema: schema },
          { name: "echo", inputSchema: schema },
          { name: "number", description: 7, inputSchema: schema },
          { name: "large", inputSchema: { type: "object", description: "x".repeat(60_000) } },
          null,
          { name: "good", inputSchema: schema },
        ],
      }),
    })
    expect(names(mcp.tools)).toContain("fake.good")
    expect(names(mcp.tools).filter((name) => name === "fake.echo")).toHaveLength(1)
    expect(warnings.map(({ message }) => message)).toEqual([
      "The tool without a name was left out: it has no name.",
      'The tool "no_schema" was left out: it has no input schema.',
      'The tool "list" was left out: its input schema is not of type object.',
      'The tool "odd" was left out: the properties of its input schema are no object.',
      'The tool "two words" was left out: its name is no word of letters, digits, _, -, . and /, at most 128.',
      'The tool "line break" was left out: its name is no word of letters, digits, _, -, . and /, at most 128.',
      'The tool "echo" was left out: another one has its name.',
      'The tool "number" was left out: its description is no text.',
      'The tool "large" was left out: its input schema has more than 50000 characters.',
      "The tool without a name was left out: it is no object.",
    ])
  })

  test("a cursor that does not advance ends the list, and so do too many pages", async () => {
    const { mcp, warnings } = await connected({
      stuck: fakeServer({ cursor: "stuck" }, { allow: ["echo"] }),
      endless: fakeServer({ cursor: "endless" }),
    })
    expect(names(mcp.tools).filter((name) => name.startsWith("stuck"))).toEqual(["stuck.echo"])
    expect(names(mcp.tools).filter((name) => name.startsWith("endless"))).toHaveLength(100)
    expect(warnings.map(({ message }) => message).sort()).toEqual(
      [
        'The tool "echo" was left out: another one has its name.',
        "Not all of its tools could be read: its list has more than 100 pages.",
        "Not all of its tools could be read: the cursor of its list does not advance.",
      ].sort(),
    )
  })

  test("allow and deny choose among a server's tools", async () => {
    const { mcp } = await connected({ fake: fakeServer({}, { allow: ["e*", "fail"], deny: ["*nv"] }) })
    expect(names(mcp.tools)).toEqual(["fake.echo", "fake.fail", "fake.elicit"])
  })

  test("noise on standard output is survived", async () => {
    const { call } = await connected({ fake: fakeServer({ noise: true }) })
    expect(await call("fake.echo", { text: "x" })).toBe("x")
  })

  test("what a server writes to standard error is kept, the end of it", async () => {
    const { mcp, call } = await connected({ fake: fakeServer({ stderr: `${"x".repeat(20_000)}the end\n` }) })
    await call("fake.echo")
    const { stderr = "" } = mcp.servers()[0] ?? {}
    expect(stderr.length).toBeLessThanOrEqual(8_000)
    expect(stderr.endsWith("the end\n")).toBe(true)
  })

  test("a server gets no variable but those that are listed, and PATH and its like", async () => {
    const env = { SECRET: "s", TOKEN: "t", LISTED: "l" }
    const settings = { env: { GIVEN: "Bearer ${TOKEN}" }, passEnv: ["LISTED", "ABSENT"] }
    const { call } = await connected({ fake: fakeServer({}, settings) }, { env })
    const got = JSON.parse(await call("fake.env")) as Record<string, string>
    expect(got).toMatchObject({ GIVEN: "Bearer t", LISTED: "l", PATH: expect.any(String) })
    const allowed = ["GIVEN", "LISTED", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]
    expect(Object.keys(got).filter((name) => !allowed.includes(name))).toEqual([])
  })

  test("a variable that is not set is a warning that names it", async () => {
    const { warnings } = await connected({ fake: fakeServer({}, { env: { KEY: "${NOT_THERE}" } }) }, { env: {} })
    expect(warnings[0]?.message).toContain("KEY needs the environment variable NOT_THERE, which is not set.")
  })

  test("closing ends every server, one that ignores the end of its input and signals too", async () => {
    const { mcp } = await connected({ meek: fakeServer(), stubborn: fakeServer({ stubborn: true }) })
    const pids = mcp.servers().map(({ pid }) => pid ?? 0)
    expect(pids.every(isRunning)).toBe(true)
    await mcp.close()
    await expect.poll(() => pids.filter(isRunning)).toEqual([])
    expect(mcp.servers().map(({ state }) => state)).toEqual(["closed", "closed"])
  })
})
