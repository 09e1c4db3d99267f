import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"
import { childEnv } from "./child-env.ts"

const script = `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
await import(process.argv[1])
process.stdout.write(JSON.stringify(loaded))
`

/** The URLs of every module that a fresh Node process loads on importing `file`, built-in modules as `node:…`. */
export function modulesLoadedBy(file: string): string[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", script, pathToFileURL(file).href],
    {
      encoding: "utf8",
      env: childEnv(),
    },
  )
  if (status !== 0) throw new Error(`importing ${file} failed:\n${stderr}`)
  return JSON.parse(stdout) as string[]
}

/** The packages among module URLs, sorted: `file:///…/node_modules/@a/b/c.js` → `@a/b`. */
export function packagesAmong(urls: readonly string[]): string[] {
  const names = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])
  return [...new Set(names)].sort()
}
