import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { childEnv } from "./support/child-env.ts"
import { root } from "./support/source-files.ts"

const locked = { "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b-darwin": { version: "1.0.0", optional: true } }
const installed = { "node_modules/a": { version: "1.0.0" } }

/** A checkout of nothing but the script, with an `npm` that says what it was asked for. */
describe.skipIf(process.platform === "win32")("what runs before npm start", () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "promptstrata-install-"))
    for (const name of [".ci", "bin", "node_modules"]) mkdirSync(join(folder, name))
    cpSync(`${root}.ci/ensure-installed.mjs`, join(folder, ".ci/ensure-installed.mjs"))
    writeNpm("echo npm was asked to $1")
    writeJson("package-lock.json", { packages: locked })
    writeJson("node_modules/.package-lock.json", { packages: installed })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const writeJson = (file: string, value: unknown) => writeFileSync(join(folder, file), JSON.stringify(value))

  function writeNpm(command: string): void {
    writeFileSync(join(folder, "bin/npm"), `#!/bin/sh\n${command}\n`)
    chmodSync(join(folder, "bin/npm"), 0o755)
  }

  function run(...args: string[]) {
    const env = childEnv({ PATH: join(folder, "bin") + delimiter + process.env.PATH })
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, ".ci/ensure-installed.mjs"), ...args], {
      encoding: "utf8",
      env,
    })
    return { status, stdout, stderr }
  }

  test("says nothing and installs nothing when everything is there; packages for other platforms may be missing", () => {
    expect(run()).toEqual({ status: 0, stdout: "", stderr: "" })
  })

  test.each([
    ["node_modules is missing", () => rmSync(join(folder, "node_modules"), { recursive: true })],
    ["node_modules/a is missing or of another version", () => writeJson("node_modules/.package-lock.json", { packages: {} })],
    [
      "node_modules/a is missing or of another version",
      () => writeJson("node_modules/.package-lock.json", { packages: { "node_modules/a": { version: "0.9.0" } } }),
    ],
    [
      "node_modules/c is no longer needed",
      () => writeJson("node_modules/.package-lock.json", { packages: { ...installed, "node_modules/c": { version: "1.0.0" } } }),
    ],
  ])("installs because %s, and keeps stdout free for the program", (reason, spoil) => {
    spoil()
    const { status, stdout, stderr } = run()
    expect(stdout).toBe("")
    expect(stderr).toContain(reason)
    expect(stderr).toContain("npm was asked to ci")
    expect(status).toBe(0)
  })

  test("installs in any case when asked for a clean install", () => {
    expect(run("--clean").stderr).toContain("npm was asked to ci")
  })

  test("stops when npm fails, so that the program does not start on half an installation", () => {
    writeNpm("exit 3")
    const { status, stderr } = run("--clean")
    expect(status).toBe(1)
    expect(stderr).toContain("npm ci failed")
  })
})
