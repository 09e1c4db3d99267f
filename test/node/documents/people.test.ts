import { describe, expect, test } from "vitest"
import { personalWorkspace } from "../../../src/node/documents/people.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"

describe("the folder of all documents as one person sees it", () => {
  const files = {
    "MEMORY.md": "tea of user\n",
    "SOUL.md": "no coffee\n",
    "groups/club/MEMORY.md": "tea of the club\n".repeat(150),
    "people/ann/MEMORY.md": "tea of Ann\n",
    "people/bob/MEMORY.md": "tea of Bob\n".repeat(150),
    "people/bob/USER.md": "\0",
    "recipes/a.md": "green tea\nblack tea\n",
  }
  const paths = (matches: readonly { readonly path: string; readonly line: number }[]) =>
    matches.map(({ path, line }) => `${path}:${line}`)

  test("a search finds their own words and those for all, however many others have", async () => {
    const workspace = await openFolder(tempFolder(files))
    const ann = await personalWorkspace(workspace, "people/ann/").search("tea")
    expect([paths(ann.matches), ann.truncated, ann.skipped]).toEqual([
      ["MEMORY.md:1", "recipes/a.md:1", "recipes/a.md:2"],
      false,
      [],
    ])
    const cut = await personalWorkspace(workspace, "people/ann/").search("tea", { limit: 2 })
    expect([paths(cut.matches), cut.truncated]).toEqual([["MEMORY.md:1", "recipes/a.md:1"], true])
    const user = await personalWorkspace(workspace, "").search("TEA", { ignoreCase: true })
    expect(user.matches.map(({ text }) => text)).toEqual(["tea of user", "green tea", "black tea"])
    const own = await personalWorkspace(workspace, "people/ann/").search("tea", { path: "memory.md" })
    expect(own.matches.map(({ text, path }) => `${path} ${text}`)).toEqual(["MEMORY.md tea of Ann"])
  })
})
