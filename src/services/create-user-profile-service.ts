import type { UserRecords } from "./store.ts"
import type { ProfileStatement, UserProfile, UserProfileService } from "./user-profile.ts"

/** User profiles over a store's records: of two statements of one name the newest holds, the others are history. A blank statement is none (T34). */
export function createUserProfileService({ records }: { readonly records: UserRecords }): UserProfileService {
  return {
    async get(key) {
      const { version, statements } = await records.load(key)
      return { version, ...standing(statements) }
    },
    async put(statements, expectVersion, key) {
      const told = statements.filter(({ name, value }) => name.trim() !== "" && value.trim() !== "")
      const turnId = told[0]?.turnId ?? ""
      return records.append(told, { turnId, expectVersion, key })
    },
  }
}

/** Statements in the order they came: of equal times the later one is the newer. */
function standing(statements: readonly ProfileStatement[]): Pick<UserProfile, "fields" | "history"> {
  const newest = new Map<string, ProfileStatement>()
  for (const statement of statements) {
    const name = foldedName(statement.name)
    const held = newest.get(name)
    if (held === undefined || statement.atMs >= held.atMs) newest.set(name, statement)
  }
  const holding = new Set(newest.values())
  const fields = [...holding].sort((a, b) => (foldedName(a.name) < foldedName(b.name) ? -1 : 1))
  const history = statements.filter((statement) => !holding.has(statement))
  return { fields, history: history.reverse().sort((a, b) => b.atMs - a.atMs) }
}

function foldedName(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase()
}
