import { checkOptions } from "../../core/check-options.ts"
import { loadMemories } from "./load-memories.ts"
import type { UserRecords } from "./store/records.ts"
import type { TurnHook } from "./turn-hook.ts"
import type { UserProfileService } from "./user-profile.ts"

/**
 * Creates a service of user profiles over a store's records. Names that differ only in case, width or
 * outer spaces are one field, and so are `city`, `location` and `home`. A blank statement is ignored (T34).
 */
export function createUserProfileService(options: { readonly records: UserRecords }): UserProfileService {
  checkOptions("createUserProfileService", options, "records")
  const { records } = options
  return {
    async get(key) {
      const { version, statements } = await records.load(key)
      if (statements.length === 0) return { version, fields: [], history: [] }
      return { version, ...(await loadMemories()).splitByAge(statements) }
    },
    async put(statements, expectVersion, key, { ofTurn = false } = {}) {
      const stated = statements.filter(({ name, value }) => name.trim() !== "" && value.trim() !== "")
      const turnId = stated[0]?.turnId ?? ""
      return records.append(stated, { turnId, expectVersion, ofTurn, key })
    },
  }
}

/**
 * A hook that shows the speaker's profile, as far as this conversation may see it, in the slot `user_profile` or in the rest slot.
 * It shows nothing while the conversation's memory is off. Facts that are cut or left out are a warning of the turn.
 */
export function userProfileHook(service: UserProfileService, { maxCharacters }: { readonly maxCharacters: number }): TurnHook {
  return {
    name: "user-profile",
    async beforeTurn(context) {
      if (!context.memoryOn) return
      const { fields } = await service.get(context.key)
      if (fields.length === 0) return
      const { showUserProfile } = await loadMemories()
      showUserProfile(fields, maxCharacters, context)
    },
  }
}
