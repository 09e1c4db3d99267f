import { spawnSync } from "node:child_process"
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, onTestFinished, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/open-store.ts"
import { chatChunk, eventStream, startChatServer } from "../../support/chat-server.ts"
import { childEnv } from "../../support/child-env.ts"
import { near } from "../../support/error-formulas.ts"
import { root } from "../../support/source-files.ts"
import { jsonLines, runProgram } from "../../support/terminal.ts"
import { run } from "./run.ts"

mkdirSync(`${root}test/.tmp`, { recursive: true })
const folder = mkdtempSync(`${root}test/.tmp/cli-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const steps = (stdout: string) => jsonLines(stdout).filter(({ type }) => type === "step-start").length
const answer = (stdout: string) => jsonLines(stdout).at(-1)?.result as { readonly text: string } | undefined

describe("the program, with the offline demo", () => {
  test.each([["en_US.UTF-8"], ["zh_CN.UTF-8"]])("tells the time in one model call, by prestart, under LANG=%s", async (LANG) => {
    const { code, stdout } = await runProgram(["chat", "fay", "--once", "现在几点？", "--json"], { env: { LANG, TZ: "UTC" } })
    expect(code).toBe(0)
    expect(steps(stdout)).toBe(1)
    expect(jsonLines(stdout).map(({ type }) => type)).toContain("prestart-end")
    expect(jsonLines(stdout).map(({ type }) => type)).not.toContain("tool-start")
    expect(answer(stdout)?.text).toMatch(/\d{1,2}:\d\d/)
  })

  test.each([["en_US.UTF-8"], ["zh_CN.UTF-8"]])("calculates in two model calls under LANG=%s", async (LANG) => {
    const { code, stdout } = await runProgram(["chat", "fay", "--once", "帮我算 17*23", "--json"], { env: { LANG } })
    expect(code).toBe(0)
    expect(steps(stdout)).toBe(2)
    expect(answer(stdout)?.text).toContain("391")
  })

  test("answers each piped line on stdout alone, in plain text, and says once on stderr that it is a demo", async () => {
    const { code, stdout, stderr } = await runProgram(["chat"], { input: "帮我算 17*23\n帮我算 2+3\n" })
    expect(code).toBe(0)
    expect(stdout.trim().split("\n")).toEqual([expect.stringContaining("391"), expect.stringContaining("5")])
    expect(stderr.split("\n").filter((line) => line.includes("OPENAI_API_KEY"))).toHaveLength(1)
    expect(stderr).toContain("✓ calculate = 391")
    expect(stdout + stderr).not.toContain("\u001b")
  })

  test("keeps the schedule below --data-dir, and makes no folder before it is needed", async () => {
    const home = mkdtempSync(join(folder, "home-"))
    await runProgram(["chat", "--once", "现在几点？"], { cwd: home })
    expect(existsSync(join(home, "data"))).toBe(false)
    const { stderr } = await runProgram(["chat", "--once", "提醒我明天下午三点开会", "--data-dir", "kept"], { cwd: home })
    expect(stderr).toContain("✓ add_schedule")
    expect(existsSync(join(home, "kept/schedule.json"))).toBe(true)
    expect(existsSync(join(home, "data"))).toBe(false)
  })
})

test.runIf(existsSync("/dev/full"))("the program fails and says so when its output cannot be written, also at its end", () => {
  const full = openSync("/dev/full", "w")
  onTestFinished(() => closeSync(full))
  const end = spawnSync(process.execPath, [`${root}src/apps/cli/main.ts`, "render", "fay"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
    env: childEnv(),
  })
  expect(end.status).toBe(1)
  expect(end.stderr).toContain("error: The output could not be written: ENOSPC")
})

describe("the program, with a model behind HTTP", () => {
  test("asks the server, model and key of the environment", async () => {
    const finish = JSON.stringify({ action: "finish", message: "你好！" })
    const server = await startChatServer({
      body: eventStream([chatChunk({ content: finish }), chatChunk({}, { finish_reason: "stop" })]),
    })
    const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "a-secret-key", PROMPTSTRATA_MODEL: "qwen3" }
    const { code, stdout, stderr } = await runProgram(["chat", "--once", "hi"], { env })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "你好！\n" })
    expect(stderr).not.toContain("demo")
    expect(server.calls[0]?.body.model).toBe("qwen3")
    expect(server.calls[0]?.headers.authorization).toBe("Bearer a-secret-key")
    await server.close()
  })

  test("on the signal of Ctrl-C aborts the turn, says so and ends with 130", async () => {
    const part = chatChunk({ content: '{"action":"finish","message":"Let me see' })
    const server = await startChatServer({ body: eventStream([part], { done: false }), ending: "stall" })
    const env = { OPENAI_BASE_URL: server.baseUrl, PROMPTSTRATA_MODEL: "qwen3" }
    let pressed = false
    const { code, stdout, stderr } = await runProgram(["chat", "--once", "hi"], {
      env,
      onStdout(soFar, child) {
        if (!pressed && soFar.includes("see")) pressed = child.kill("SIGINT")
      },
    })
    expect({ code, stdout }).toEqual({ code: 130, stdout: "Let me see\n" })
    expect(stderr).toMatch(/aborted\n$/)
    await server.close()
  })

  test.each(["SIGTERM", "SIGHUP"] as const)(
    "on %s keeps the words of the turn, as after Ctrl-C, and ends with 130",
    async (signal) => {
      const part = chatChunk({ content: '{"action":"finish","message":"Let me see' })
      const server = await startChatServer({ body: eventStream([part], { done: false }), ending: "stall" })
      const place = mkdtempSync(join(folder, "killed-"))
      const env = { OPENAI_BASE_URL: server.baseUrl, PROMPTSTRATA_MODEL: "qwen3", PROMPTSTRATA_STORE: place }
      let sent = false
      const { code, stdout } = await runProgram(["chat"], {
        env,
        input: "hi\n",
        onStdout(soFar, child) {
          if (!sent && soFar.includes("see")) sent = child.kill(signal)
        },
      })
      expect({ code, stdout }).toEqual({ code: 130, stdout: "Let me see\n" })
      const store = await openStore(place)
      const kept = await store.load({ agent: "layered", conversation: "terminal", audience: "private" })
      expect(kept?.history.map(({ text }) => text)).toEqual(["hi", "Let me see"])
      await store.close()
      await server.close()
    },
  )
})

describe("the program, when something is wrong", () => {
  test("ends quietly when its reader goes away", async () => {
    const { code, stderr } = await runProgram(["chat", "--show", "trace", "--json"], {
      input: "现在几点？\n".repeat(200),
      onStdout: (_, child) => child.stdout?.destroy(),
    })
    expect(code).toBe(0)
    expect(stderr).not.toMatch(/EPIPE|error/)
  })

  test("shows the place of a mistake in a file, never a stack, unless --debug asks for it", async () => {
    const file = join(folder, "bad.toml")
    writeFileSync(file, '[prompt]\ndialect = "fay"\n\n[loop]\nmax_step = 3\n')
    const { code, stdout, stderr } = await run(["chat", file, "--once", "hi"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^error: .*bad\.toml:5:1/)
    expect(stderr).toContain(near("max_steps"))
    expect(stderr).toContain("5 | max_step = 3")
    expect(stderr).not.toMatch(/^\s+at /m)
    expect((await run(["chat", file, "--once", "hi", "--debug"])).stderr).toMatch(/^\s+at /m)
  })

  test("names the known profiles and the one that was meant", async () => {
    const { code, stderr } = await run(["chat", "fai", "--once", "hi"])
    expect(code).toBe(1)
    expect(stderr).toContain(`error: expected a profile, found none called "fai".${near("fay")}`)
  })

  test.each<[string, readonly string[], Record<string, string>, string]>([
    ["an unknown command", ["rendr"], {}, "(Did you mean render?)"],
    ["an unknown option", ["chat", "--jsn"], {}, "(Did you mean --json?)"],
    ["an unknown thing to show", ["chat", "--show", "all"], {}, "Allowed choices are prompt, trace."],
    ["too many arguments", ["render", "fay", "layered"], {}, "too many arguments"],
    ["something that is no locale", ["render", "--locale", "!"], {}, 'expected a locale such as "en" or "zh-CN", found "!"'],
    [
      "a model's name without a key",
      ["chat", "--once", "x"],
      { PROMPTSTRATA_MODEL: "x" },
      "neither OPENAI_API_KEY nor OPENAI_BASE_URL",
    ],
  ])("%s is wrong usage", async (_, args, env, words) => {
    const { code, stdout, stderr } = await run(args, { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(words)
  })
})

describe("the help", () => {
  test.each([
    ["promptstrata", ["--help"]],
    ["chat", ["chat", "--help"]],
    ["render", ["help", "render"]],
    ["lint", ["lint", "--help"]],
    ["init", ["help", "init"]],
  ])("of %s is worth reading", async (name, args) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120)
    await expect(stdout).toMatchFileSnapshot(`./__snapshots__/help-${name}.txt`)
  })

  test("--version prints the package's version", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" })
  })
})
