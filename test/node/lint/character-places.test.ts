import { expect, test } from "vitest"
import { findPromptFiles } from "../../../src/node/lint/read-prompt-folder.ts"
import { tempFolder } from "../../support/temp-folder.ts"

test("what is written about a character is no persona and no prompt, in a locale's folder or without one", () => {
  const files = [
    "characters/en/fay.md",
    "characters/en/fay/state.md",
    "characters/en/fay/world_book/places/sea.md",
    "characters/fay.md",
    "characters/fay/reaction_plan.md",
    "characters/fay/world_book/sea.md",
    "characters/zh-CN/fay/world_book.md",
  ]
  const places = findPromptFiles(tempFolder(Object.fromEntries(files.map((path) => [path, "x"]))))
  expect(places.map(({ path, kind, locale }) => [path, kind, locale])).toEqual([
    ["characters/en/fay.md", "persona", "en"],
    ["characters/en/fay/state.md", "character", "en"],
    ["characters/en/fay/world_book/places/sea.md", "character", "en"],
    ["characters/fay.md", "persona", undefined],
    ["characters/fay/reaction_plan.md", "character", undefined],
    ["characters/fay/world_book/sea.md", "character", undefined],
    ["characters/zh-CN/fay/world_book.md", "character", "zh-CN"],
  ])
})
