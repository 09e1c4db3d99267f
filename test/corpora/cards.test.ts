import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readCard } from "../../src/node/cards/card-file.ts"
import { filesOfCard, loadCardFolder } from "../../src/node/cards/card-folder.ts"
import { writeCard } from "../../src/node/cards/write-card.ts"
import { dataFolder, dataPresent } from "../support/corpora.ts"
import { tempFolder } from "../support/temp-folder.ts"

const folder = `${dataFolder}cards/`
const pictures = dataPresent ? readdirSync(folder).filter((name) => name.endsWith(".png")) : []

describe("real cards", () => {
  test.skipIf(!dataPresent).each(pictures)("C2: %s comes back from the files that a person edits, picture included", (name) => {
    const bytes = readFileSync(folder + name)
    const made = tempFolder(Object.fromEntries(filesOfCard(readCard(bytes))))
    const again = loadCardFolder(made)
    expect(again.card).toEqual(readCard(bytes).card)
    expect(writeCard(again)).toEqual(writeCard(readCard(bytes)))
  })

  test.skipIf(!dataPresent).each(pictures)("C2: %s comes back as it was, in each form", (name) => {
    const file = readCard(readFileSync(folder + name))
    expect(file.card.name).not.toBe("")
    expect(file.card.warnings).toEqual([])
    for (const format of ["png", "charx", "json"] as const) {
      const again = readCard(writeCard(file, { format }))
      if (format === "charx" && file.card.version < 3) {
        // A CHARX holds a card of V3 (C22), with every value that the other one had.
        expect(again.card).toMatchObject({ version: 3, json: { data: file.card.json.data } })
        continue
      }
      expect(again.card).toEqual(file.card)
      if (format === "png") expect(again.chunks).toEqual(file.chunks)
    }
  })
})
