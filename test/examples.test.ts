import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { importsOf } from "./support/imports.ts"
import { root } from "./support/source-files.ts"

const names = readdirSync(`${root}examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The lines of a program that are neither blank nor a comment. */
function gluedLines(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length
}

interface Manifest {
  readonly private?: boolean
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const read = (path: string) => readFileSync(root + path, "utf8")
const manifestOf = (path: string) => JSON.parse(read(path)) as Manifest

describe.each(names)("examples/%s", (name) => {
  const programs = readdirSync(`${root}examples/${name}`).filter((file) => file.endsWith(".ts"))
  const plugins = readdirSync(`${root}examples/${name}`).filter((file) => file.endsWith(".cjs"))
  const manifest = manifestOf(`examples/${name}/package.json`)

  test("has at most 52 lines of code: what is more is missing in the library", () => {
    const lines = programs.map((file) => gluedLines(read(`examples/${name}/${file}`)))
    expect(lines.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0)
    expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(52)
  })

  test("names the packages that it uses, and no others", () => {
    const used = [...programs, ...plugins].flatMap((file) =>
      importsOf(read(`examples/${name}/${file}`)).map(({ specifier }) => specifier),
    )
    const packages = new Set(used.filter((specifier) => !/^(?:node:|\.)/.test(specifier)).map(packageOf))
    expect(Object.keys(manifest.dependencies).sort()).toEqual([...packages].sort())
    expect(manifest.dependencies.promptstrata).toBe(`^${manifestOf("package.json").version}`)
    expect(manifest.private).toBe(true)
  })

  test("is a plugin of at most 75 lines, over a package that its host has, if it is one", () => {
    const texts = plugins.map((file) => read(`examples/${name}/${file}`))
    expect(texts.map(gluedLines).filter((lines) => lines > 75)).toEqual([])
    const required = texts.flatMap((text) => [...text.matchAll(/require\("([^"]+)"\)/g)].map(([, specifier = ""]) => specifier))
    expect(required.filter((specifier) => !specifier.startsWith("node:"))).toEqual(Object.keys(manifest.peerDependencies ?? {}))
  })

  test("has a README that explains each variable of the environment", () => {
    const environment = programs.map(
      (file) => /const \{([^}]*)\} = process\.env/.exec(read(`examples/${name}/${file}`))?.[1] ?? "",
    )
    const variables = environment.flatMap((given) => [...given.matchAll(/(\w+) =/g)].map((match) => match[1] ?? ""))
    expect(variables).toContain("PROFILE")
    const page = read(`examples/${name}/README.md`)
    expect(variables.filter((variable) => !page.includes(`\`${variable}\``))).toEqual([])
    expect(page).toContain("npm start")
    expect(manifest.scripts.start).toMatch(/^node [\w-]+\.ts$/)
  })
})

test("lines of code are counted without blank lines and comments", () => {
  expect(gluedLines("import a\n\n// why\n/**\n * what\n */\nlet b = 1 // one\n  b++\n")).toBe(3)
})

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}
