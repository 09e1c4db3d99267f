import { lazyPattern } from "../../../core/lazy-pattern.ts"
import relations from "./relations.json" with { type: "json" }

/**
 * The relations of which a person has one at a time, each with the other names that models, people and rules give it. The prompts
 * that ask for keys and profile fields name the same relations.
 */
const byName = new Map(
  Object.entries(relations).flatMap(([relation, names]) => [relation, ...names].map((name) => [name, relation])),
)

const separators = /[\s_\-.:'’]+/

/** The one name of a relation that has several: `home` for `City`, `lives_in` and 住处. Undefined for a relation of other kinds. */
export function knownRelation(name: string): string | undefined {
  return byName.get(name.normalize("NFKC").toLowerCase().split(separators).filter(Boolean).join(" "))
}

const chinese = lazyPattern(String.raw`\p{Script=Han}`, "u")

/** A relation in English and in Chinese, where both are known. */
export function relationWords(relation: string): readonly string[] {
  const names: readonly string[] = Object.entries(relations).find(([name]) => name === relation)?.[1] ?? []
  return [relation, ...names.filter((name) => chinese().test(name)).slice(0, 1)]
}
