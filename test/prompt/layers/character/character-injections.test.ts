import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { characterInjections } from "../../../../src/prompt/layers/character/character-injections.ts"
import { emptySheet } from "../../../../src/prompt/layers/character/character-sheet.ts"
import { root } from "../../../support/source-files.ts"

test("S2 S13 each part of a character has the priority and the rank that docs/character.md says", () => {
  const rows = readFileSync(`${root}docs/character.md`, "utf8").matchAll(/^\| `([\w.]+)` \| (\d+) \| (\d+) \|$/gm)
  const documented = Array.from(rows, ([, key, priority, rank]) => [key, Number(priority), Number(rank)])
  const parts = characterInjections({
    state: { sheet: emptySheet, changes: [] },
    relationship: { sheet: emptySheet, changes: [] },
    worldBook: [],
  })
  expect(parts.map(({ key, priority, fit }) => [key, priority, fit?.rank])).toEqual(documented)
})
