import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { countingIds, manualClock, manualTimers } from "../src/testing/index.ts"
import { tempFolder } from "./support/temp-folder.ts"
import { applyDiff, commandsIn, missingLine, runCommand, stepsOf } from "./support/walkthrough.ts"

/** The words of a command line. Double quotes hold a word together. */
const wordsOf = (line: string) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain)

const pages = ["docs/start", "docs/recipes/card", "docs/recipes/soul"].flatMap((page) => [`${page}.md`, `${page}.zh-CN.md`])

test.each(pages)("the steps of %s work, one after the other, and show what the page says", async (page) => {
  const lang = page.includes("zh-CN") ? "zh_CN.UTF-8" : "en_US.UTF-8"
  // By the clock of this computer none of its reminders is due.
  const clock = manualClock(Date.UTC(2136, 2, 4, 10))
  const ports = { clock, timers: manualTimers(clock), ids: countingIds() }
  let cwd = tempFolder()
  for (const step of stepsOf(page)) {
    if (step.file !== undefined) writeFileSync(join(cwd, step.file), step.text)
    else if (step.language === "diff") {
      applyDiff(step, cwd)
      // Node loads a module of a path once in a process, so the changed files go to a new place.
      const moved = tempFolder()
      cpSync(cwd, moved, { recursive: true })
      cwd = moved
    } else {
      for (const each of commandsIn(step)) {
        const { command, shown, line } = each
        const [program = "", name = "", ...args] = wordsOf(command)
        if (program === "cd") {
          cwd = join(cwd, name)
          continue
        }
        expect([program, name]).toEqual(["npx", "promptstrata"])
        const { code, output } = await runCommand(args, each, { cwd, lang, ports })
        const missing = missingLine(shown, output)
        expect(missing === undefined ? "" : `line ${line} shows "${missing}", but the program wrote:\n${output}`).toBe("")
        expect([line, code]).toEqual([line, 0])
      }
    }
  }
})

test("a shown line that the output lacks, or has at another place, is found", () => {
  const output = "one\ntwo 22\nthree\n"
  expect(missingLine(["one", "two …", "three"], output)).toBeUndefined()
  expect(missingLine(["…", "three"], output)).toBeUndefined()
  expect(missingLine(["one", "three"], output)).toBe("three")
  expect(missingLine(["…", "three", "one"], output)).toBe("one")
})
