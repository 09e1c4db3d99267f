import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"

const folder = mkdtempSync(join(tmpdir(), "promptstrata-virtual-context-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function load(text: string) {
  const path = join(folder, "mine.toml")
  writeFileSync(path, text)
  return loadProfile(path, { locale: "en", dataFolder: folder })
}

test("R11: each of the four tables switches the virtual context on, and without them there is none", async () => {
  for (const table of ["[events]", "[workspace]", "[pulled]", "[compression]"]) {
    expect((await load(table)).plugins.map(({ name }) => name)).toEqual(["virtual-context"])
  }
  expect((await load('locale = "en"')).plugins).toEqual([])
})

test("a number out of bounds, an unknown key and an unknown time zone are refused where they stand", async () => {
  await expect(load("[workspace]\nevict_below = 2")).rejects.toThrow(/evict_below/)
  await expect(load("[events]\nremember_weks = 2")).rejects.toThrow(/remember_weeks/)
  await expect(load('[events]\ntime_zone = "Middle/Earth"')).rejects.toThrow(/time zone/)
})
