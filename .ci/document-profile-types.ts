// Writes the words of every profile key above it in dist's declarations: an editor shows them where code uses the key.
import { readFileSync, writeFileSync } from "node:fs"
import type { Keys, ValueType } from "../src/profile/key.ts"
import { keyWords } from "../src/profile/key-words.ts"
import { mcpServer } from "../src/profile/keys/mcp.ts"
import { profileKeys } from "../src/profile/profile-keys.ts"
import { pathIn } from "./rooms.ts"

/** Documents the declarations in a built folder that has the folders of `src/`. */
export function documentProfileTypes(folder: string): void {
  const change = (path: string, name: string, keys: Keys) => {
    const file = pathIn("profile", path).replace(/^src/, folder)
    writeFileSync(file, withWords(readFileSync(file, "utf8"), name, keys))
  }
  change("profile-keys.d.ts", "profileKeys", profileKeys.keys)
  change("keys/mcp.d.ts", "mcpServer", mcpServer.keys)
}

/** The declarations of a file with the words of `keys` above the properties of the constant `name`, tables in tables too. */
export function withWords(declarations: string, name: string, keys: Keys, said = keyWords): string {
  let tables: (Keys | undefined)[] = []
  return declarations
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith(" ")) tables = line.includes(`const ${name}:`) ? [keys] : []
      const [, indent = "", property = ""] = /^( +)readonly (\w+)\??: /.exec(line) ?? []
      const depth = indent.length / 4
      const key = tables[depth - 1]?.[property]
      if (key === undefined) return [line]
      tables[depth] = keysIn(key.type)
      return [`${indent}/** ${said.get(key)?.words.replaceAll("*/", "*\\/")} */`, line]
    })
    .join("\n")
}

function keysIn(type: ValueType): Keys | undefined {
  if (type.kind === "list") return keysIn(type.of)
  return type.kind === "table" ? type.keys : undefined
}
