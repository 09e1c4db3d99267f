import { expect, onTestFinished, test } from "vitest"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { runProgram } from "../../support/terminal.ts"
import { run } from "./run.ts"

const luna = 'locale = "en"\n[agent]\nname = "Luna"\n[prompt]\ndialect = "fay"\n'
/** Makes a folder the working folder for the rest of a test. */
function workIn(folder: string): void {
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
}

const store = { PROMPTSTRATA_STORE: "./data" }

test("commands in a project find its own profile, and say which", async () => {
  const cwd = tempFolder({ "profiles/luna.toml": luna, "profiles/README.md": "Mine." })
  const chat = await runProgram(["chat", "--once", "hello"], { cwd, env: store })
  expect(chat).toMatchObject({ code: 0, stderr: expect.stringContaining("Profile: profiles/luna.toml\n") })
  // What follows needs no process of its own.
  workIn(cwd)
  const memories = await run(["memory", "list"], { env: store })
  expect(memories).toMatchObject({ code: 0, stdout: "", stderr: "Profile: profiles/luna.toml\nLuna has no memories yet.\n" })
  const inChinese = await run(["memory", "list"], { env: { ...store, LANG: "zh_CN.UTF-8" } })
  expect(inChinese.stderr).toMatch(/^配置：profiles\/luna\.toml\n/)
  const events = await run(["events"], { env: store })
  expect(events).toMatchObject({ stderr: expect.stringMatching(/^Profile: profiles\/luna\.toml\nLuna keeps no events: /) })
  const named = await run(["chat", "fay", "--once", "hello"])
  expect(named.stderr).not.toContain("Profile:")
})

test("commands in a folder with several profiles ask for a name, and those in a clone of the library take a shipped one", async () => {
  const cwd = tempFolder({ "profiles/luna.toml": luna, "profiles/mei.toml": luna })
  workIn(cwd)
  const { code, stderr } = await run(["render"])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "error: expected the name of a profile, as ./profiles has 2: luna, mei.\nchat, serve, bot, inspect, render, events and worker take it as their argument, other commands as --profile NAME.\n",
  })
  workIn(root)
  expect((await run(["chat", "--once", "hello"])).stdout).toContain("demo model")
})

test("a language that nobody chose is said, once", async () => {
  const cwd = tempFolder({ "profiles/luna.toml": luna.replace('locale = "en"\n', "") })
  const { stderr } = await runProgram(["chat", "luna"], { cwd, input: "hello\nhello\n", env: { LANG: "C.UTF-8" } })
  expect(stderr.match(/English is used, because nothing names a language/g)).toHaveLength(1)
  expect((await runProgram(["render", "luna"], { cwd })).stderr).not.toContain("English is used")
})
