import { spawnSync } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { displayWidth } from "../src/core/display-width.ts"
import { childEnv } from "./support/child-env.ts"
import { root } from "./support/source-files.ts"
import { tempFolder } from "./support/temp-folder.ts"

const files = ["terminal", "terminal.zh-CN"].flatMap((name) => [`${name}.cast`, `${name}.svg`])

test("the recordings in docs are what the program writes now, and one that is not is named", () => {
  const folder = tempFolder()
  for (const file of files) cpSync(`${root}docs/${file}`, join(folder, file))
  const check = () =>
    spawnSync(process.execPath, [`${root}.ci/record-terminal.ts`, "--check", folder], { encoding: "utf8", env: childEnv() })
  const { status, stderr } = check()
  expect([status, stderr]).toEqual([0, ""])
  writeFileSync(join(folder, "terminal.cast"), readFileSync(join(folder, "terminal.cast"), "utf8").replace("391", "392"))
  const changed = check()
  expect([changed.status, changed.stderr]).toEqual([1, expect.stringContaining("terminal.cast. Run: npm run record")])
})

test.each(["terminal.cast", "terminal.zh-CN.cast"])(
  "%s is an asciicast of version 2 that a terminal of its width can show",
  (file) => {
    const [head, ...events] = readFileSync(`${root}docs/${file}`, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(head).toMatchObject({ version: 2, width: 80 })
    const times = events.map(([at]) => at)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    const shown = events.map(([, kind, text]) => (kind === "o" ? text : "")).join("")
    expect(shown).toMatch(/391[\s\S]*(?:prefix ends|前缀到此为止)/)
    expect(shown.split("\r\n").filter((line: string) => displayWidth(line) > 80)).toEqual([])
  },
)
