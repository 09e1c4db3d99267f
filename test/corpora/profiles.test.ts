import { parse } from "smol-toml"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { locateToml, offsetOf, type TomlNode } from "../../src/node/toml-positions.ts"
import { dataPresent, hostileStrings, readJsonLines } from "../support/corpora.ts"
import { tempFolder } from "../support/temp-folder.ts"

interface TomlCase {
  readonly path: string
  readonly valid: boolean
  readonly b64: string
}

const cases = dataPresent ? readJsonLines<TomlCase>("formats/toml-test-1.0.0.jsonl") : []

/** What loading these bytes ends in. */
async function outcomeOf(bytes: Uint8Array): Promise<unknown> {
  const folder = tempFolder({ "profile.toml": bytes })
  return loadProfile(`${folder}/profile.toml`, { env: {} }).catch((error: unknown) => error)
}

describe.skipIf(!dataPresent)("profiles over outside material", () => {
  test("every document of toml-test ends in a profile or in a located error, never in anything else", async () => {
    let refused = 0
    for (const { path, valid, b64 } of cases) {
      const outcome = await outcomeOf(Buffer.from(b64, "base64"))
      if (!(outcome instanceof Error)) {
        expect([path, valid]).toEqual([path, true])
        continue
      }
      refused++
      expect([path, PromptStrataError.isInstance(outcome) && outcome.source?.line]).toEqual([path, expect.any(Number)])
    }
    expect(cases.length).toBeGreaterThan(500)
    expect(refused).toBeGreaterThan(300)
  })

  test("every key of every valid document is found on a line that holds it", () => {
    let found = 0
    for (const { path, valid, b64 } of cases) {
      if (!valid) continue
      const text = Buffer.from(b64, "base64")
        .toString("utf8")
        .replace(/^\uFEFF/, "")
      const data = parse(text, { integersAsBigInt: "asNeeded" })
      const positions = locateToml(text)
      for (const keys of pathsIn(data)) {
        found++
        expect([path, keys, isLocated(positions, keys)]).toEqual([path, keys, true])
        const key = keys.at(-1)
        const here = text.slice(offsetOf(positions, keys))
        if (typeof key === "string" && /^[\w-]+$/.test(key)) expect([path, keys, writes(here, key)]).toEqual([path, keys, true])
      }
    }
    expect(found).toBeGreaterThan(900)
  })

  test("no hostile string as a path, a dialect or a profile's name is anything but a located error", async () => {
    const keys = ["extends", "prompt.persona", "prompt.dialect", "prompt.folder", "prompt.format"]
    const strings = hostileStrings()
    for (let at = 0; at < strings.length; at += 11) {
      const value = JSON.stringify((strings[at] ?? "").slice(0, 200).toWellFormed()).replaceAll("\u007f", "")
      const key = keys[at % keys.length]
      const outcome = await outcomeOf(Buffer.from(`${key} = ${value}\n`))
      expect([key, value, PromptStrataError.isInstance(outcome) && outcome.source?.line]).toEqual([key, value, 1])
    }
  })
})

function pathsIn(value: unknown, above: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null || value instanceof Date) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, inner]) => [[...above, key], ...pathsIn(inner, [...above, key])])
}

function isLocated(root: TomlNode, path: readonly (string | number)[]): boolean {
  let node: TomlNode | undefined = root
  for (const key of path) node = typeof key === "number" ? node?.items[key] : node?.children.get(key)
  return node !== undefined
}

/** True when the text begins with the key, bare or quoted; an escaped spelling is taken on trust. */
function writes(text: string, key: string): boolean {
  return text.startsWith(key) || text.startsWith(`"${key}"`) || text.startsWith(`'${key}'`) || text.startsWith('"\\')
}
