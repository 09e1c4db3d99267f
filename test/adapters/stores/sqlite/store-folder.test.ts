import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openStore } from "../../../../src/adapters/stores/index.ts"
import { makeStoreFolder } from "../../../../src/adapters/stores/sqlite/store-file.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { startChild } from "./support/children.ts"

describe("a store's folder", () => {
  test("is made with those above it, for its owner alone, and is left as it is where it is there", () => {
    const folder = join(tempFolder(), "a", "b", "c")
    for (let time = 0; time < 2; time++) makeStoreFolder(folder)
    for (const path of [folder, join(folder, "..")]) expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test.each([["under a file"], ["under a link to nowhere"], ["of a name that is too long"]])(
    "%s cannot be made, and is refused by name",
    async (kind) => {
      const folder = tempFolder({ file: "words" })
      const place = { "under a file": "file/a/b", "of a name that is too long": "n".repeat(300) }[kind] ?? "link/a"
      if (kind.includes("link")) await import("node:fs").then(({ symlinkSync }) => symlinkSync("nowhere", join(folder, "link")))
      const where = join(folder, place)
      await expect(openStore(where)).rejects.toMatchObject({ code: "store", message: expect.stringContaining(where) })
    },
  )

  // In a process of its own, because a hang would block the event loop.
  test.skipIf(!existsSync("/proc"))("in a file system that says the folder above is missing is refused too", async () => {
    const child = startChild("refused-child", { folder: "/proc/promptstrata" })
    await child.until("opening")
    await child.until("refused")
    expect(child.lines).toEqual(["opening", "refused store"])
  })
})
