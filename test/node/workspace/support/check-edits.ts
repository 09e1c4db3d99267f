import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { outputOf, startChild } from "./children.ts"
import { leftovers } from "./workspaces.ts"

/** Several processes edit one file at the same time. The file must hold every edit once, and those of each process in order. */
export async function checkEdits({ processes, edits }: { readonly processes: number; readonly edits: number }): Promise<void> {
  const folder = tempFolder({ "MEMORY.md": "" })
  const names = Array.from({ length: processes }, (_, at) => `p${at}`)
  await Promise.all(names.map((name) => outputOf(startChild("edit-child", [folder, name, String(edits)]))))
  const lines = readFileSync(join(folder, "MEMORY.md"), "utf8").trimEnd().split("\n")
  for (const name of names) {
    const expected = Array.from({ length: edits }, (_, at) => `${name}:${at}`)
    expect(lines.filter((line) => line.startsWith(`${name}:`))).toEqual(expected)
  }
  expect(lines).toHaveLength(processes * edits)
  expect(leftovers(folder)).toEqual([])
  const ids = (await (await openFolder(folder)).history()).map(({ id }) => Number(id))
  expect(ids[0]).toBe(processes * edits)
}
