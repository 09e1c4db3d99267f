// A new character as its author gets it, with an empty npm cache: `promptstrata init` run from the packed package and from this
// clone, and what it wrote installed, tested, linted and talked to, in both languages and with a SOUL.md.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "promptstrata-init-"))
// With CI set, vitest compares the snapshot that init wrote and never writes one.
const env = { ...process.env, CI: "1", npm_config_cache: join(folder, "npm-cache") }
const run = (command, args, { cwd = folder, input = "", more = {} } = {}) =>
  execFileSync(command, args, { cwd, input, env: { ...env, ...more }, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"] })
const install = ["install", "--no-audit", "--no-fund", "--engine-strict=false"]

/** A folder in which the same dependencies are installed, by these. */
const installed = new Map()

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: "." }))
  const tarball = join(folder, packed.filename)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run("npm", [...install, tarball])
  const packedCli = join(folder, "node_modules", "promptstrata", "dist", "cli.js")
  for (const [cli, name, ...more] of [
    [packedCli, "luna", "--name", "Luna", "--locale", "en"],
    [resolve("src/apps/cli/main.ts"), "yue", "--name", "小月", "--locale", "zh-CN"],
    [packedCli, "团团", "--soul", "--locale", "zh-CN"],
  ]) {
    run(process.execPath, [cli, "init", name, ...more])
    const cwd = join(folder, name)
    const project = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"))
    // The registry may not have this version yet.
    if (cli === packedCli) project.dependencies.promptstrata = `file:${tarball}`
    writeFileSync(join(cwd, "package.json"), JSON.stringify(project))
    const wanted = JSON.stringify([project.dependencies, project.devDependencies])
    const same = installed.get(wanted)
    if (same === undefined) run("npm", install, { cwd })
    else symlinkSync(join(same, "node_modules"), join(cwd, "node_modules"), "junction")
    installed.set(wanted, cwd)
    run(process.execPath, [join("node_modules", "vitest", "vitest.mjs"), "run"], { cwd })
    run(process.execPath, [join("node_modules", "promptstrata", "dist", "cli.js"), "lint", "--strict"], { cwd })
    const said = run(process.execPath, ["src/main.mjs"], { cwd, input: "hello\n" })
    const unanswered = run(process.execPath, ["src/main.mjs"], {
      cwd,
      input: "hello\n",
      more: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    })
    if (!unanswered.includes("could not be reached"))
      throw new Error(`expected the model's error, found ${JSON.stringify(unanswered)}`)
    const offline = name === "luna" ? "(offline)" : "（离线）"
    if (!said.includes(offline)) throw new Error(`npm start: expected ${offline}, found ${JSON.stringify(said)}`)
  }
  console.log("promptstrata init writes characters that pass their tests and talk.")
} finally {
  rmSync(folder, { recursive: true, force: true })
}
