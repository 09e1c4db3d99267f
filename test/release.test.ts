import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { isAfter, packFaults, prepareRelease, publishPictures, releaseChangelog } from "../.ci/release.ts"
import { tempFolder } from "./support/temp-folder.ts"

const changelog = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n"

const manifest = {
  name: "promptstrata",
  version: "0.1.0",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
  bin: { promptstrata: "./dist/cli.js" },
  repository: { url: "git+https://example.org/promptstrata.git" },
  bugs: { url: "https://example.org/promptstrata/issues", email: "security@example.org" },
}

const lockfile = JSON.stringify({
  packages: { "node_modules/kysely": { version: "1.2.3" }, "node_modules/leven": { version: "4.0.0" } },
})

const packed = ["package.json", "README.md", "LICENSE", "dist/index.js", "dist/index.d.ts", "dist/cli.js", "docs/memory.md"]

interface ReleaseOptions {
  readonly status?: string
  readonly files?: readonly string[]
  readonly fields?: object
}

describe("a release", () => {
  test("moves what is unreleased into a section of its version", () => {
    expect(releaseChangelog(changelog, "0.2.0", "2026-11-22")).toEqual({
      changelog:
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n",
      notes: "### Added\n\n- A thing.",
    })
  })

  test("needs something to release, and a version that was not released yet", () => {
    expect(() => releaseChangelog("# Changelog\n\n## [Unreleased]\n\n", "0.2.0", "2026-11-22")).toThrow("found none")
    expect(() => releaseChangelog("# Changelog\n", "0.2.0", "2026-11-22")).toThrow('"## [Unreleased]"')
    expect(() => releaseChangelog(changelog, "0.1.0", "2026-11-22")).toThrow("released before")
    expect(["0.1.1", "0.2.0", "1.0.0"].every((version) => isAfter(version, "0.1.0"))).toBe(true)
    expect(["0.1.0", "0.0.9", "v0.2.0", "0.2", ""].some((version) => isAfter(version, "0.1.0"))).toBe(false)
  })

  test("packs what package.json promises and nothing else", () => {
    expect(packFaults(packed, manifest)).toEqual([])
    expect(packFaults([...packed, "src/index.ts", "test/a.test.ts", ".env"], manifest)).toHaveLength(3)
    expect(packFaults(packed.slice(0, -2), manifest)).toEqual(["dist/cli.js is promised and missing"])
  })

  function release(version: string, { status = "", files = packed, fields = {} }: ReleaseOptions = {}) {
    const folder = tempFolder()
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, ...fields }))
    writeFileSync(join(folder, "package-lock.json"), lockfile)
    writeFileSync(join(folder, "CHANGELOG.md"), changelog)
    for (const page of ["README.md", "README.zh-CN.md"]) writeFileSync(join(folder, page), "![A page](docs/page.webp)\n")
    const commands: string[] = []
    const run = (command: string, args: readonly string[]): string => {
      commands.push([command, ...args].join(" "))
      if (args[0] === "status") return status
      if (args[0] === "sbom") return '{"bomFormat":"CycloneDX","components":[{"name":"zod"}]}'
      return args[0] === "pack" ? JSON.stringify([{ files: files.map((path) => ({ path })) }]) : ""
    }
    const prepare = () => prepareRelease(folder, { version, date: "2026-11-22", run })
    const now = (name: string) => readFileSync(join(folder, name), "utf8")
    return { prepare, commands, now, changelogNow: () => now("CHANGELOG.md") }
  }

  test("gives the README's pictures the address that they will have, also where they had an earlier one", () => {
    const { prepare, now } = release("0.2.0")
    prepare()
    const pinned = "![A page](https://unpkg.com/promptstrata@0.2.0/docs/page.webp)\n"
    expect(["README.md", "README.zh-CN.md"].map(now)).toEqual([pinned, pinned])
    const next = publishPictures(`${pinned}[a page](docs/turn.md)`, { name: "promptstrata", version: "0.3.0" })
    expect(next).toBe(`${pinned.replace("0.2.0", "0.3.0")}[a page](docs/turn.md)`)
  })

  test("has a bill of materials with the packages of which dist holds a part", () => {
    const { prepare, now, commands } = release("0.2.0")
    prepare()
    const { components } = JSON.parse(now("sbom.cdx.json")) as { components: { name: string; purl?: string }[] }
    expect(components.map(({ name }) => name)).toEqual(["zod", "leven", "kysely", "preact"])
    expect(components[2]?.purl).toBe("pkg:npm/kysely@1.2.3")
    expect(commands).toContain("git add sbom.cdx.json")
  })

  test("is committed and tagged with its notes, and says what is left to do", () => {
    const { prepare, commands, changelogNow } = release("0.2.0")
    expect(prepare()).toBe(
      "promptstrata 0.2.0 is committed and tagged (7 files). To publish it: git push --follow-tags && npm publish",
    )
    expect(changelogNow()).toContain("## [0.2.0] - 2026-11-22")
    expect(commands.filter((command) => !command.includes("sbom")).slice(-3)).toEqual([
      "npm version 0.2.0 --no-git-tag-version --allow-same-version=false",
      "git commit --all --message Release 0.2.0",
      "git tag --annotate v0.2.0 --cleanup=verbatim --message promptstrata 0.2.0\n\n### Added\n\n- A thing.\n",
    ])
  })

  test.each([
    { name: "a version that is not after the last", version: "0.1.0", options: {} },
    { name: "a tree with changes", version: "0.2.0", options: { status: " M src/index.ts\n" } },
    { name: "no address for bugs", version: "0.2.0", options: { fields: { bugs: undefined } } },
    {
      name: "an address that leads nowhere",
      version: "0.2.0",
      options: { fields: { repository: { url: "git+https://repository.invalid/promptstrata.git" } } },
    },
    { name: "a file too many", version: "0.2.0", options: { files: [...packed, "secrets.json"] } },
  ])("stops before anything is written at $name", ({ version, options }) => {
    const { prepare, commands, changelogNow } = release(version, options)
    expect(prepare).toThrow()
    expect(changelogNow()).toBe(changelog)
    expect(commands.some((command) => /commit|tag|version/.test(command))).toBe(false)
  })
})
