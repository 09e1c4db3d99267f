// Prepares a release: `npm run release -- 0.2.0`. Moves the changelog's "Unreleased" into a section of the version, sets the version
// and the address of the README's pictures, builds, checks what `npm pack` would publish, writes a bill of materials, commits and tags. Then a person only has to
// push and to publish.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inlinedVersions } from "./inlined.ts"

/** A changelog with a section for the release, and the text of that section. */
export interface ReleasedChangelog {
  readonly changelog: string
  readonly notes: string
}

/** Moves everything under `## [Unreleased]` into a section of the version. Throws where there is nothing to release. */
export function releaseChangelog(changelog: string, version: string, date: string): ReleasedChangelog {
  const [head, ...sections] = changelog.split(/^(?=## \[)/m)
  const unreleased = sections.find((section) => section.startsWith("## [Unreleased]"))
  if (unreleased === undefined) throw new Error('CHANGELOG.md: expected a section "## [Unreleased]", found none.')
  if (sections.some((section) => section.startsWith(`## [${version}]`)))
    throw new Error(`CHANGELOG.md: expected no section of ${version} yet, found one. Was it released before?`)
  const notes = unreleased.slice(unreleased.indexOf("\n")).trim()
  if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md: expected entries under "Unreleased", found none.')
  const others = sections.filter((section) => section !== unreleased)
  const released = [
    head,
    "## [Unreleased]\n\n",
    `## [${version}] - ${date}\n\n${notes}\n`,
    ...others.map((text) => `\n${text.trim()}\n`),
  ]
  return { changelog: released.join(""), notes }
}

/** Gives the pictures of a README the address that they have once the version is published: a registry's page shows no others. */
export function publishPictures(readme: string, { name, version }: { name: string; version: string }): string {
  const address = `![$1](https://unpkg.com/${name}@${version}/$2)`
  return readme.replaceAll(/!\[([^\]]*)\]\((?:https:\/\/unpkg\.com\/[^@)]+@[^/)]+\/)?(docs\/[^)]+)\)/g, address)
}

/** The bill of materials that npm wrote, with the packages of which dist holds a part. */
export function withInlined(sbom: string, versions: ReadonlyMap<string, string>): string {
  const { components, ...rest } = JSON.parse(sbom) as { readonly components: readonly object[] }
  const parts = [...versions].map(([name, version]) => {
    const purl = `pkg:npm/${name}@${version}`
    return { "bom-ref": `${name}@${version}`, type: "library", name, version, purl, description: "A part of it is in dist." }
  })
  return `${JSON.stringify({ ...rest, components: [...components, ...parts] }, null, 1)}\n`
}

/** The addresses in package.json that nobody has filled in yet. */
export function unfilledAddresses({ repository, bugs }: Manifest): readonly string[] {
  const addresses = { "repository.url": repository?.url, "bugs.url": bugs?.url, "bugs.email": bugs?.email }
  return Object.entries(addresses).flatMap(([field, address = ""]) =>
    address === "" || /\.invalid\b/.test(address) ? [field] : [],
  )
}

/** The package's own fields that a release depends on. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
  readonly repository?: { readonly url: string }
  /** `email` is where a weakness is reported. */
  readonly bugs?: { readonly url: string; readonly email: string }
}

const published =
  /^(?:package\.json|README(?:\.zh-CN)?\.md|(?:CHANGELOG|SECURITY)\.md|LICENSE|sbom\.cdx\.json|(?:dist|docs|examples|profiles|prompts|templates)\/)/

/** Faults of a list of packed files: one that does not belong to the package, or one that package.json promises and that is missing. */
export function packFaults(files: readonly string[], { exports, bin }: Manifest): string[] {
  const promised = [
    ...Object.values(exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry))),
    ...Object.values(bin),
  ]
  const packed = new Set(files)
  return [
    ...files.filter((file) => !published.test(file)).map((file) => `${file} does not belong to the package`),
    ...promised
      .map((path) => path.replace(/^\.\//, ""))
      .filter((path) => !packed.has(path))
      .map((path) => `${path} is promised and missing`),
  ]
}

/** True for a version that comes after another: `0.2.0` after `0.1.9`. */
export function isAfter(version: string, before: string): boolean {
  const [a, b] = [version, before].map((text) => text.split(".").map(Number))
  if (!/^\d+\.\d+\.\d+$/.test(version) || !a || !b) return false
  const at = a.findIndex((part, index) => part !== b[index])
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)
}

/** Runs a command in the repository and hands back what it printed. */
export type Run = (command: string, args: readonly string[]) => string

/** Prepares the release in `folder`; hands back what is left to do. Throws before anything is written where something is amiss. */
export function prepareRelease(folder: string, { version, date, run }: { version: string; date: string; run: Run }): string {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8")
  const manifest = JSON.parse(read("package.json")) as Manifest
  if (!isAfter(version, manifest.version))
    throw new Error(`expected a version after ${manifest.version} such as 0.2.0, found ${JSON.stringify(version)}.`)
  const unfilled = unfilledAddresses(manifest)
  if (unfilled.length > 0)
    throw new Error(`expected addresses that lead somewhere in package.json, found none as ${unfilled.join(", ")}.`)
  const changed = run("git", ["status", "--porcelain"]).trim()
  if (changed !== "") throw new Error(`expected a clean work tree, found changes:\n${changed}`)
  const { changelog, notes } = releaseChangelog(read("CHANGELOG.md"), version, date)
  run("npm", ["run", "--silent", "build"])
  const [pack] = JSON.parse(run("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"])) as [{ files: { path: string }[] }]
  const faults = packFaults(
    pack.files.map(({ path }) => path),
    manifest,
  )
  if (faults.length > 0) throw new Error(`npm pack: ${faults.join("; ")}.`)
  writeFileSync(join(folder, "CHANGELOG.md"), changelog)
  for (const page of ["README.md", "README.zh-CN.md"])
    writeFileSync(join(folder, page), publishPictures(read(page), { name: manifest.name, version }))
  run("npm", ["version", version, "--no-git-tag-version", "--allow-same-version=false"])
  const sbom = run("npm", ["sbom", "--sbom-format=cyclonedx", "--omit=dev"])
  writeFileSync(join(folder, "sbom.cdx.json"), withInlined(sbom, inlinedVersions(read("package-lock.json"))))
  run("git", ["add", "sbom.cdx.json"])
  run("git", ["commit", "--all", "--message", `Release ${version}`])
  run("git", ["tag", "--annotate", `v${version}`, "--cleanup=verbatim", "--message", `promptstrata ${version}\n\n${notes}\n`])
  return `promptstrata ${version} is committed and tagged (${pack.files.length} files). To publish it: git push --follow-tags && npm publish`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version = ""] = process.argv.slice(2)
  const run: Run = (command, args) => execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  const date = new Date().toISOString().slice(0, 10)
  try {
    console.log(prepareRelease(process.cwd(), { version, date, run }))
  } catch (error) {
    console.error(`promptstrata: the release was not prepared: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
