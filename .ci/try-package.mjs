// The package as its users get it: packed, installed into an empty folder, the README's program run, the program called.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "promptstrata-try-"))
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], "."))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run("npm", ["install", "--no-audit", "--no-fund", "--engine-strict=false", join(folder, packed.filename), "zod"], folder)
  const [, program, printed] = /<!-- run -->\n```ts\n([\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(
    readFileSync("README.md", "utf8"),
  )
  writeFileSync(join(folder, "program.ts"), program)
  expectEqual("the README's program", run(process.execPath, ["program.ts"], folder).trim(), printed.trim())
  const cli = [join("node_modules", "promptstrata", "dist", "cli", "main.js"), "chat", "fay", "--once", "17*23"]
  expectEqual("promptstrata chat", /391/.test(run(process.execPath, cli, folder)), true)
  console.log(`The packed package (${packed.files.length} files, ${packed.size} bytes) installs and runs.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function expectEqual(what, found, expected) {
  if (found !== expected) throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`)
}
