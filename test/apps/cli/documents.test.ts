import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { runCli } from "../../../src/apps/cli/run-cli.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { fakeTerminal } from "../../support/terminal.ts"
import { run, start } from "./run.ts"

const soul = "我叫小鱼。\n"
const change = callTool("write", { path: "SOUL.md", content: "我叫小鸟。\n" })

function dataFolder(
  files: Readonly<Record<string, string>> = { "workspace/SOUL.md": soul, "workspace/MEMORY.md": "- 一\n" },
): string {
  return tempFolder(files)
}

const soulOf = (folder: string) => readFileSync(join(folder, "workspace", "SOUL.md"), "utf8")
const chat = (folder: string, ...more: string[]) => ["chat", "soul", "--locale", "en", "--data-dir", folder, ...more]

describe("chat soul", () => {
  test("works offline", async () => {
    const { code, stdout } = await run(["chat", "soul", "--once", "你好", "--locale", "zh-CN", "--data-dir", dataFolder({})])
    expect(code).toBe(0)
    expect(stdout.trim()).not.toBe("")
  })

  test.each([
    ["y", "我叫小鸟。\n", "✓ write"],
    ["yes", "我叫小鸟。\n", "✓ write"],
    ["n", soul, "✗ write failed"],
    ["", soul, "✗ write failed"],
    ["you bet", soul, "✗ write failed"],
  ])("D9 at a terminal it shows what would change and asks; the answer %j", async (answer, expected, shown) => {
    const folder = dataFolder()
    const model = scriptedModel([change, finish("done")])
    const terminal = start(chat(folder), { model, terminal: true })
    await terminal.shows("You: ")
    terminal.type("hello\r")
    await terminal.shows("Allow it? [y/N]")
    expect(terminal.written.stdout).toContain("? write wants to change SOUL.md")
    expect(terminal.written.stdout).toMatch(/-我叫小鱼。\r?\n\+我叫小鸟。/)
    expect(soulOf(folder)).toBe(soul)
    terminal.type(`${answer}\r`)
    await terminal.shows("done")
    await terminal.shows("You: ", 2)
    terminal.end()
    expect(await terminal.code).toBe(0)
    expect(terminal.written.stdout).toContain(shown)
    expect(soulOf(folder)).toBe(expected)
  })

  test("a line that was begun before the question is no answer to it, and stands after the next prompt", async () => {
    const folder = dataFolder()
    let plan = (_: string): void => undefined
    const planned = new Promise<string>((resolve) => {
      plan = resolve
    })
    const model = scriptedModel([() => planned, finish("first"), finish("second")])
    const terminal = start(chat(folder), { model, terminal: true })
    await terminal.shows("You: ")
    terminal.type("hello\r")
    terminal.type("y")
    plan(change)
    await terminal.shows("Allow it? [y/N]")
    terminal.type("\r")
    await terminal.shows("first")
    terminal.type("es\r")
    await terminal.shows("second")
    terminal.end()
    await terminal.code
    expect(soulOf(folder)).toBe(soul)
    expect(model.requests.at(-1)?.facts?.question).toBe("yes")
  })

  test("Ctrl-C at the question stops the turn and nothing is written", async () => {
    const folder = dataFolder()
    const terminal = start(chat(folder), { model: scriptedModel([change]), terminal: true })
    await terminal.shows("You: ")
    terminal.type("hello\r")
    await terminal.shows("Allow it? [y/N]")
    terminal.type("\u0003")
    await terminal.shows("aborted")
    terminal.end()
    await terminal.code
    expect(soulOf(folder)).toBe(soul)
  })

  test("D9 in a pipe nobody can be asked: it is refused, and that is said", async () => {
    const folder = dataFolder()
    const { code, stderr } = await run(chat(folder, "--once", "hello"), { model: scriptedModel([change, finish("done")]) })
    expect(code).toBe(0)
    expect(stderr).toContain("Changing SOUL.md needs a confirmation, and there is nobody to ask")
    expect(soulOf(folder)).toBe(soul)
  })
})

describe("undo", () => {
  async function edited(): Promise<string> {
    const folder = dataFolder()
    const steps = [
      callTool("edit", { path: "MEMORY.md", old_text: "- 一", new_text: "- 二" }),
      callTool("write", { path: "notes/a.md", content: "tea\n" }),
      finish("done"),
    ]
    await run(chat(folder, "--once", "hello"), { model: scriptedModel(steps) })
    return folder
  }

  const undo = (folder: string, ...more: string[]) => run(["undo", "--locale", "en", "--data-dir", folder, ...more])

  test("takes back the last change and shows what that did", async () => {
    const folder = await edited()
    const last = await undo(folder)
    expect(last.code).toBe(0)
    expect(last.stdout).toMatch(/^Undid the change to notes\/a\.md that soul made at .+Z\.\n$/)
    expect(last.stderr).toContain("notes/a.md was created by that change. It is deleted.")
    expect(last.stderr).toContain("-tea")
  })

  test("takes back the last change of one file", async () => {
    const folder = await edited()
    const { stdout, stderr } = await undo(folder, "memory.md")
    expect(stdout).toMatch(/^Undid the change to MEMORY\.md/)
    expect(stderr).toContain("-- 二\n+- 一")
    expect(readFileSync(join(folder, "workspace/MEMORY.md"), "utf8")).toBe("- 一\n")
    await undo(folder, "MEMORY.md")
    expect(readFileSync(join(folder, "workspace/MEMORY.md"), "utf8")).toBe("- 二\n")
  })

  test("lists the changes, and goes back behind several of them by an id", async () => {
    const folder = dataFolder()
    const rest = ["- 三\n", "- 四\n- 五\n"].map((content) => callTool("write", { path: "MEMORY.md", content }))
    const steps = [callTool("edit", { path: "MEMORY.md", old_text: "- 一", new_text: "- 二" }), ...rest, finish("done")]
    await run(chat(folder, "--once", "hello"), { model: scriptedModel(steps) })
    const list = await undo(folder, "--list", "memory.md")
    expect(list.code).toBe(0)
    const changes = list.stdout.trimEnd().split("\n")
    expect(changes.map((line) => line.replace(/\S+Z/, "TIME"))).toEqual([
      "3  TIME  soul  MEMORY.md  +2 -1",
      "2  TIME  soul  MEMORY.md  +1 -1",
      "1  TIME  soul  MEMORY.md  +1 -1",
    ])
    expect((await undo(folder, "--id", "2")).code).toBe(0)
    expect(readFileSync(join(folder, "workspace/MEMORY.md"), "utf8")).toBe("- 二\n")
    expect((await undo(folder, "--id", "1")).code).toBe(0)
    expect(readFileSync(join(folder, "workspace/MEMORY.md"), "utf8")).toBe("- 一\n")
    expect((await undo(folder, "--list", "USER.md")).stdout).toBe("")
    expect((await undo(folder, "--id", "77")).code).toBe(1)
  })

  test("says that there is nothing to take back, with or without a folder", async () => {
    for (const folder of [tempFolder(), dataFolder()]) {
      const { code, stderr } = await undo(folder)
      expect(code).toBe(1)
      expect(stderr).toContain("There is no change to undo")
    }
  })

  test("does not undo over what somebody else wrote since", async () => {
    const folder = await edited()
    const { writeFileSync } = await import("node:fs")
    writeFileSync(join(folder, "workspace/MEMORY.md"), "- by hand\n")
    const { code, stderr } = await undo(folder, "MEMORY.md")
    expect(code).toBe(1)
    expect(stderr).toContain("MEMORY.md: expected the file as its last recorded change left it, found it changed since.")
    expect(stderr).toContain("Nothing was undone")
    expect(readFileSync(join(folder, "workspace/MEMORY.md"), "utf8")).toBe("- by hand\n")
  })
})

describe("a USER.md that was there before, beside memory in documents", () => {
  // Prints its arguments in place of the program, which runs in this process.
  const program = "promptstrata() { for word; do printf '%s\\0' \"$word\"; done; }"

  test.each([
    ["en", "is of the user", "- city: Oslo\n- My name is Lin.\n- I live in Oslo\n", ["- name: Lin", "- home: Oslo"]],
    [
      "zh-CN",
      "请把别人的行移到 people/ID/USER.md。要接管其余的行，请输入：",
      "- 我叫小林\n- 我住在北京\n",
      ["- 姓名: 小林", "- 住处: 北京"],
    ],
  ])(
    "H20 is taken over by the commands that the warning prints, as a shell reads them; %s",
    async (locale, told, facts, lines) => {
      const folder = tempFolder({ "Lin's data/workspace/SOUL.md": soul, "Lin's data/workspace/USER.md": facts })
      const [data, bot] = [join(folder, "Lin's data"), join(folder, "my bot.toml")]
      writeFileSync(bot, `extends = "soul"\nlocale = "${locale}"\n[agent]\nname = "Mira"\n[memory]\nstore = "documents"\n`)
      const env = { PROMPTSTRATA_STORE: data, LANG: `${locale.replace("-", "_")}.UTF-8` }
      const first = await run(["chat", bot, "--once", "hello", "--data-dir", data], { env })
      expect(first.stderr).toContain(told)
      const commands = first.stderr.split("\n").filter((line) => line.startsWith("  "))
      // One that an earlier take-over left is not lost without a yes.
      writeFileSync(join(data, "USER.old.md"), "earlier")
      spawnSync("sh", ["-c", commands[0] ?? ""], { input: "" })
      expect(readFileSync(join(data, "USER.old.md"), "utf8")).toBe("earlier")
      rmSync(join(data, "USER.old.md"))
      const [name, ...args] = execFileSync("sh", ["-c", [program, ...commands].join("\n")], { encoding: "utf8" }).split("\0")
      expect(name).toBe("chat")
      // Background work is due by the host's clock.
      const { io, written: second } = fakeTerminal({ terminal: false, columns: 80, env: { ...env, PROMPTSTRATA_STORE: data } })
      expect(await runCli(["chat", ...args.slice(0, -1)], io)).toBe(0)
      expect(second.stderr).not.toContain("USER.md")
      const written = readFileSync(join(data, "workspace", "USER.md"), "utf8").split("\n")
      for (const line of lines) expect(written).toContain(line)
      expect(readFileSync(join(data, "USER.old.md"), "utf8")).toBe(facts)
    },
  )
})
