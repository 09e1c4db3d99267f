import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { applied, type Mutant } from "./mutants.ts"

/**
 * The ids of the mutants that do not compile. Each is a copy of its file beside the file, in a copy of the sources, so that one run of
 * the compiler checks them all. Errors that a mutant causes in other files are not seen.
 */
export function uncompiled(root: string, mutants: readonly Mutant[]): ReadonlySet<string> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-mutants-"))
  try {
    for (const name of ["src", "package.json"]) cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const config = { extends: resolve(root, "tsconfig.json"), include: ["src"], exclude: [] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    for (const mutant of mutants) {
      const copy = mutant.file.replace(/\.ts$/, `.mutant-${mutant.id}.ts`)
      writeFileSync(join(folder, copy), applied(readFileSync(join(root, mutant.file), "utf8"), mutant))
    }
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const args = [compiler, "-p", folder, "--pretty", "false"]
    const { stdout, error } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 30, cwd: folder })
    if (error) throw error
    const others = stdout.split("\n").filter((line) => /error TS/.test(line) && !/\.mutant-[0-9a-f]+\.ts\(/.test(line))
    if (others.length > 0) throw new Error(`expected the sources to compile; found ${others[0]}`)
    return new Set([...stdout.matchAll(/\.mutant-([0-9a-f]+)\.ts\(\d+,\d+\): error/g)].map((match) => match[1] as string))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
