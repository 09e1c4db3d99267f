import { exec } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { entryPoints } from "./entry-points.ts"
import { root } from "./source-files.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of each example with its packages; undefined where they cannot be had. */
    readonly examples: Readonly<Record<string, string | undefined>>
  }
}

/** Outside `node_modules`, where Node.js runs no TypeScript. */
const cache = `${root}test/.tmp/examples`

/** Copies the examples to a folder that stays, and installs their packages where they have changed. */
export async function setup(project: TestProject): Promise<void> {
  const names = readdirSync(`${root}examples`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const folders = await Promise.all(names.map(async ({ name }) => [name, await install(name)] as const))
  project.provide("examples", Object.fromEntries(folders))
  const paths = Object.fromEntries(entryPoints().map(({ specifier, source }) => [specifier, [`../../../${source}`]]))
  const config = { extends: "../../../tsconfig.json", compilerOptions: { paths }, include: ["*/*.ts"], exclude: [] }
  writeFileSync(join(cache, "tsconfig.json"), JSON.stringify(config))
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/** The example's folder, or undefined if the registry cannot be reached. Throws for any other failure of npm. */
async function install(name: string): Promise<string | undefined> {
  const folder = join(cache, name)
  const manifest = JSON.parse(readFileSync(`${root}examples/${name}/package.json`, "utf8")) as Manifest
  const { promptstrata: _, ...dependencies } = manifest.dependencies
  const wanted = JSON.stringify({ ...manifest, dependencies })
  const done = join(folder, "installed.json")
  if (!existsSync(done) || readFileSync(done, "utf8") !== wanted) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(`${root}examples/${name}`, folder, { recursive: true, filter: (path) => !/[\\/](?:node_modules|data)$/u.test(path) })
  if (existsSync(done)) return folder
  writeFileSync(join(folder, "package.json"), wanted)
  const flags = "--no-audit --no-fund --no-package-lock --engine-strict=false --loglevel=error --fetch-retries=1"
  const failure: { stderr: string } | undefined = await promisify(exec)(`npm install ${flags}`, { cwd: folder }).then(
    () => undefined,
    (error) => error,
  )
  if (failure === undefined) {
    writeFileSync(done, wanted)
    return folder
  }
  if (!/ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH/u.test(failure.stderr))
    throw new Error(`npm install of examples/${name} failed:\n${failure.stderr}`)
  console.log(`examples/${name}: skipped, because the npm registry cannot be reached`)
  return undefined
}
