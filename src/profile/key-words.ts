import type { Key, Keys, ValueType } from "./key.ts"
import words from "./key-words.json" with { type: "json" }
import { profileFileKeys } from "./profile-file-keys.ts"
import { profileKeys } from "./profile-keys.ts"

/** The sentence or two that docs and editors show of a key or a table, and the default in words where it is not one fixed value. */
export interface KeyWords {
  readonly words: string
  readonly default?: string
}

type Catalogue = Readonly<Record<string, KeyWords | undefined>>

/** The words of every key of a file and of code, and of the tables in maps and lists. A key that stands in two tables has those of one. */
export const keyWords: ReadonlyMap<Key | ValueType, KeyWords> = new Map<Key | ValueType, KeyWords>([
  [profileFileKeys.type, words.profile],
  ...wordsIn(profileKeys.keys, words.code),
  ...wordsIn(profileFileKeys.keys, words.file),
])

function wordsIn(keys: Keys, said: Catalogue, path = ""): readonly (readonly [Key | ValueType, KeyWords])[] {
  const ofType = (type: ValueType, at: string): ReturnType<typeof wordsIn> => {
    if (type.kind === "list" || type.kind === "map") return [...own(type.of, `${at}.*`), ...ofType(type.of, `${at}.*`)]
    return type.kind === "table" ? wordsIn(type.keys, said, `${at}.`) : []
  }
  const own = (node: Key | ValueType, at: string) => (said[at] ? [[node, said[at]] as const] : [])
  return Object.entries(keys).flatMap(([name, key]) => [...own(key, path + name), ...ofType(key.type, path + name)])
}
