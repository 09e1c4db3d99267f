// The package as its users get it: packed, installed into an empty folder, what both READMEs tell done there, the programs of all packed
// pages run, their links followed, the program called.
// The build takes sentences out of the declarations of profile keys, so the package's settings are compared with the source's.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { profileJsonSchema } from "../src/node/profile/profile-json-schema.ts"
import { codeBlocksIn, runsIn } from "../test/support/code-blocks.ts"
import { inlinedVersions } from "./inlined.ts"
import { publishPictures } from "./release.ts"

/** Prints each setting of some profiles on a line, with its default where the profile does not set it. */
const printSettings = `
const [root, node] = process.argv.slice(2)
const { resolveProfile } = await import(root)
const { loadProfile } = await import(node)
const plain = (value) => (typeof value === "function" ? "a function" : value instanceof Map ? [...value] : value)
const profiles = { "no profile": resolveProfile() }
for (const name of ["fay", "layered", "stack", "stack-cached", "soul", "root", "./every-table.toml"]) profiles[name] = await loadProfile(name)
for (const [name, profile] of Object.entries(profiles))
  for (const [key, value] of Object.entries(profile)) console.log(name, key, JSON.stringify(value, (_, part) => plain(part)))
`

/** Asks for the files of the inspector's page, which the build puts into the code. */
const askPage = `
import { createAgent, resolveProfile } from "promptstrata"
import { inspector } from "promptstrata/inspector"
import { scriptedModel } from "promptstrata/testing"
const { token, fetch } = inspector(createAgent({ profile: resolveProfile(), model: scriptedModel([]) }))
const files = ["", "page.js", "page.css"].map((name) => fetch(new Request("http://localhost/" + token + "/" + name)))
console.log((await Promise.all(files)).map(({ status }) => status).join(" "))
`

/** A profile with every table, and nothing set that need not be. */
function everyTable() {
  const tables = Object.entries(profileJsonSchema().properties).filter(([, { type }]) => type === "object")
  const set = { tools: 'enabled = ["current_time"]', mcp: '[mcp.servers.one]\ncommand = "one"' }
  const lines = tables.flatMap(([name]) => [`[${name}]`, set[name] ?? ""])
  return [...lines, "[[prestart]]", 'tool = "current_time"'].join("\n")
}

/** Every subpath that has types, as a program imports it. */
const entries = Object.entries(JSON.parse(readFileSync("package.json", "utf8")).exports)
  .filter(([, { types }]) => types)
  .map(([path]) => path.replace(".", "promptstrata"))

const folder = mkdtempSync(join(tmpdir(), "promptstrata-try-"))
const run = (command, args, cwd, more = {}) =>
  execFileSync(command, args, { cwd, encoding: "utf8", env: { ...process.env, ...more }, stdio: ["ignore", "pipe", "inherit"] })

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], "."))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const readmes = ["README.md", "README.zh-CN.md"].map((page) => ({ page, cwd: join(folder, page.replaceAll(".", "-")) }))
  const [first, ...others] = readmes.map(({ cwd }) => cwd)
  installAsTold(first, join(folder, packed.filename))
  // One installation is enough: each takes as long as much of what is done with it.
  for (const cwd of others) cpSync(join(first, "package.json"), join(cwd, "package.json"))
  for (const cwd of [...others, folder]) symlinkSync(join(first, "node_modules"), join(cwd, "node_modules"), "junction")
  for (const { page, cwd } of readmes) tryReadme(page, cwd)
  const pages = packed.files.map(({ path }) => path).filter((path) => /^(?:[A-Z.a-z-]+|docs\/.*)\.md$/.test(path))
  for (const page of pages) expectLinks(page)
  runPrograms(pages)
  const cli = [join("node_modules", "promptstrata", "dist", "cli.js"), "chat", "fay", "--once", "17*23"]
  expectEqual("promptstrata chat", /391/.test(run(process.execPath, cli, folder)), true)
  writeFileSync(join(folder, "types.ts"), entries.map((entry, at) => `export type * as entry${at} from "${entry}"`).join("\n"))
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom,dom.iterable"]
  for (const peer of ["@modelcontextprotocol", "openai"])
    symlinkSync(resolve("node_modules", peer), join(folder, "node_modules", peer), "junction")
  run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), ...strict, "types.ts"], folder)
  expectShortErrors()
  const held = packed.files.flatMap(({ path }) => /^dist\/chunks\/(.+)\.LICENSE\.txt$/.exec(path)?.[1] ?? [])
  expectEqual(
    "versions of packages that dist holds",
    held.sort().join(),
    [...inlinedVersions()]
      .map((each) => each.join("-"))
      .sort()
      .join(),
  )
  for (const name of ["CHANGELOG.md", "SECURITY.md"])
    expectEqual(
      name,
      packed.files.some(({ path }) => path === name),
      true,
    )
  writeFileSync(join(folder, "page.mjs"), askPage)
  expectEqual("the inspector's page", run(process.execPath, ["page.mjs"], folder).trim(), "200 200 200")
  writeFileSync(join(folder, "settings.mjs"), printSettings)
  writeFileSync(join(folder, "every-table.toml"), everyTable())
  const source = ["src/index.ts", "src/node/index.ts"].map((path) => pathToFileURL(resolve(path)).href)
  const settings = (doors) =>
    run(process.execPath, ["settings.mjs", ...doors], folder)
      .trim()
      .split("\n")
  const found = settings(["promptstrata", "promptstrata/node"])
  for (const [at, line] of settings(source).entries()) expectEqual("settings of a profile", found[at], line)
  console.log(`The packed package (${packed.files.length} files, ${packed.size} bytes) installs and runs.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** An uncaught error: its own words come soon, behind one line of code, and its stack names functions. */
function expectShortErrors() {
  writeFileSync(join(folder, "wrong.mjs"), 'import { createAgent } from "promptstrata"\ncreateAgent({ profile: 3 })\n')
  const { stderr } = spawnSync(process.execPath, ["wrong.mjs"], { cwd: folder, encoding: "utf8" })
  const before = stderr.indexOf("PromptStrataError: createAgent expected")
  if (before < 0 || before > 400)
    throw new Error(`an uncaught error: expected its words within 400 characters, found ${stderr.slice(0, 1_000)}`)
  if (!/at createAgent \(/.test(stderr)) throw new Error(`an uncaught error: expected the function's name, found ${stderr}`)
}

/** Begins as the READMEs tell, in an empty folder: `npm init -y` and the installation. */
function installAsTold(cwd, tarball) {
  mkdirSync(cwd)
  run("npm", ["init", "-y"], cwd)
  run("npm", ["install", "--no-audit", "--no-fund", "--engine-strict=false", tarball], cwd)
}

/** Does what a README tells once it is installed: its profile with its table, its programs. */
function tryReadme(page, cwd) {
  const text = readFileSync(page, "utf8")
  const blocks = codeBlocksIn(text)
  for (const { file, text: lines } of blocks) if (file !== undefined) writeFileSync(join(cwd, file), `${lines}\n`)
  const cli = join("node_modules", "promptstrata", "dist", "cli.js")
  const at = blocks.findIndex(({ file }) => file?.endsWith(".toml"))
  const [, words, question] = /^npx promptstrata (.*) --question "(.*)"$/.exec(blocks[at + 1].text)
  // Each page shows the table as a machine of its language prints it.
  const machine = { LANG: page.includes("zh-CN") ? "zh_CN.UTF-8" : "en_US.UTF-8", LC_ALL: undefined, LC_MESSAGES: undefined }
  const table = run(process.execPath, [cli, ...words.split(" "), "--question", question], cwd, machine)
  expectEqual(`${page}: the table`, table.trimEnd(), blocks[at + 2].text)
  for (const { code, prints } of runsIn(blocks))
    expectEqual(`${page}: ${code.file}`, run(process.execPath, [code.file], cwd).trimEnd(), prints)
  // A registry's page shows no picture of a package's own: a release gives each the address at which the package will have it.
  const shown = publishPictures(text, JSON.parse(readFileSync("package.json", "utf8")))
  const pictures = [...text.matchAll(/!\[[^\]]*\]\((?:https:\/\/unpkg\.com\/[^@)]+@[^/)]+\/)?([^)]+)\)/g)].map(([, path]) => path)
  const unpacked = pictures.filter((path) => !existsSync(join(cwd, "node_modules", "promptstrata", path)))
  expectEqual(`${page}: pictures that are not packed`, unpacked.join(", "), "")
  expectEqual(`${page}: pictures without an address`, /!\[[^\]]*\]\((?!https:)/.exec(shown)?.[0], undefined)
}

/** Whatever a packed page links to is packed as well, but for pictures: of these only the READMEs' are. */
function expectLinks(page) {
  const inside = join(folder, "node_modules", "promptstrata")
  const links = [...readFileSync(join(inside, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(
    ([, link]) => link,
  )
  const missing = links.filter((link) => !link.endsWith(".webp") && !existsSync(join(inside, dirname(page), link)))
  expectEqual(`${page}: links to what is not packed`, missing.join(", "), "")
}

/** The programs of pages whose output is shown, in folders that `npm init -y` made: the form of a module stands in a file's name. */
function runPrograms(pages) {
  const programs = pages.flatMap((page) => {
    const text = readFileSync(join(folder, "node_modules", "promptstrata", page), "utf8")
    const cwd = join(folder, "pages", page.replaceAll(/\W/g, "-"))
    return runsIn(codeBlocksIn(text)).map(({ code, prints }) => {
      const file = join(cwd, code.file ?? `line-${code.line}.mts`)
      mkdirSync(cwd, { recursive: true })
      writeFileSync(join(cwd, "package.json"), '{ "type": "commonjs" }')
      writeFileSync(file, code.text)
      return { at: `${page}, line ${code.line}`, file, prints }
    })
  })
  const files = programs.filter(({ at }) => !at.startsWith("README")).map(({ file }) => file)
  const ran = JSON.parse(run(process.execPath, [resolve("test/support/run-programs.ts"), ...files], folder))
  for (const { at, file, prints } of programs) {
    if (ran[file] === undefined) continue
    expectEqual(`${at}: errors`, ran[file].errors, "")
    expectEqual(at, ran[file].output.trimEnd(), prints)
  }
  console.log(`${files.length} programs of pages print what the pages say.`)
}

function expectEqual(what, found, expected) {
  if (found !== expected) throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`)
}
