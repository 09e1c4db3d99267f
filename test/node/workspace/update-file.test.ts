import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { updateFile } from "../../../src/node/workspace/update-file.ts"
import { amount } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { outputOf, startChild } from "./support/children.ts"
import { leftovers, outcomeOf } from "./support/workspaces.ts"

test(`8 processes of ${amount("SCHEDULE_ENTRIES")} schedule entries and approvals each lose none`, async () => {
  const folder = tempFolder({})
  const entries = amount("SCHEDULE_ENTRIES")
  const names = Array.from({ length: 8 }, (_, at) => `p${at}`)
  await Promise.all(names.map((name) => outputOf(startChild("schedule-child", [folder, name, String(entries)]))))
  const { nextId, items } = JSON.parse(readFileSync(join(folder, "schedule.json"), "utf8"))
  const ids = items.map(({ id }: { readonly id: number }) => id)
  expect(ids).toEqual(Array.from({ length: 8 * entries }, (_, at) => at + 1))
  expect(nextId).toBe(8 * entries + 1)
  for (const name of names) {
    const own = items.filter(({ title }: { readonly title: string }) => title.startsWith(`${name}:`))
    expect(own.map(({ title }: { readonly title: string }) => title)).toEqual(
      ids.slice(0, entries).map((id: number) => `${name}:${id - 1}`),
    )
  }
  const { approved } = JSON.parse(readFileSync(join(folder, "approvals.json"), "utf8"))
  expect(Object.keys(approved)).toHaveLength(8 * entries)
  expect(leftovers(folder)).toEqual([])
})

test("a change makes its folder, follows a link to the file and keeps its mode", async () => {
  const folder = tempFolder({ "real.txt": "a" })
  symlinkSync(join(folder, "real.txt"), join(folder, "link.txt"))
  const mode = statSync(join(folder, "real.txt")).mode
  await updateFile(join(folder, "link.txt"), (text) => `${text}b`)
  expect(lstatSync(join(folder, "link.txt")).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(folder, "real.txt"), "utf8")).toBe("ab")
  expect(statSync(join(folder, "real.txt")).mode).toBe(mode)
  await updateFile(join(folder, "deep/er/new.txt"), (text) => (text === undefined ? "new" : undefined))
  expect(readFileSync(join(folder, "deep/er/new.txt"), "utf8")).toBe("new")
})

test("a change that is refused, kept or stopped writes nothing", async () => {
  const folder = tempFolder({ "a.txt": "a" })
  const path = join(folder, "a.txt")
  const before = statSync(path).ino
  await updateFile(path, () => undefined)
  const refuse = () => {
    throw new Error("no")
  }
  await expect(updateFile(path, refuse)).rejects.toThrow("no")
  const stop = new AbortController()
  const abort = (text: string | undefined) => {
    stop.abort()
    return `${text}b`
  }
  const stopped = updateFile(path, abort, stop.signal)
  expect(await outcomeOf(stopped)).toBe("aborted")
  expect([statSync(path).ino, readFileSync(path, "utf8")]).toEqual([before, "a"])
})

test("a change waits for a workspace of the folder, and leaves its history alone", async () => {
  const folder = tempFolder({ "a.txt": "0" })
  const workspace = await openFolder(folder)
  const add = (text: string | undefined) => String(Number(text ?? 0) + 1)
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      at % 2 === 0
        ? updateFile(join(folder, "a.txt"), add)
        : workspace.update("a.txt", (file) => add(file?.text), { by: "test" }),
    ),
  )
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("20")
  expect(await workspace.history()).toHaveLength(10)
})

test("a file that a killed process left half written is removed by the next change", async () => {
  const folder = tempFolder({ "a.txt": "a" })
  writeFileSync(join(folder, ".promptstrata-a.txt.tmp"), "half")
  await updateFile(join(folder, "a.txt"), () => "b")
  expect(existsSync(join(folder, ".promptstrata-a.txt.tmp"))).toBe(false)
  expect(readdirSync(folder)).toEqual([".promptstrata", "a.txt"])
})
