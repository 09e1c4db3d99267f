import { checkOptions } from "../../core/check-options.ts"
import type { ServiceKey } from "../../core/conversation.ts"
import type { ProfileStatement, UserRecords } from "./store/records.ts"
import type { TurnHook } from "./turn-hook.ts"

/** A user's profile. Of several statements of one name, the newest holds; the others are history. */
export interface UserProfile {
  /** Grows by one with every change; 0 for an unknown user. */
  readonly version: number
  /** The statements that hold, ordered by name. */
  readonly fields: readonly ProfileStatement[]
  /** The statements that no longer hold, newest first. */
  readonly history: readonly ProfileStatement[]
}

/** Keeps what users say about themselves. Both methods may be called concurrently, also for one user. */
export interface UserProfileService {
  /** The part of the profile that may be shown to this key: in a group, only what was said in that group. */
  get(key: ServiceKey): Promise<UserProfile>
  /**
   * Adds the statements of one turn. Throws `version-conflict`, and changes nothing, if the user's version is not `expectVersion`; the
   * caller then loads the profile again. If the turn's statements are there already, `applied` is false and nothing changes. Background
   * work passes `ofTurn`: then nothing must be kept if the turn was forgotten meanwhile ({@link UserRecords.append}).
   */
  put(
    statements: readonly ProfileStatement[],
    expectVersion: number,
    key: ServiceKey,
    options?: { readonly ofTurn?: boolean },
  ): Promise<{ readonly version: number; readonly applied: boolean }>
}

/**
 * Creates a service of user profiles over a store's records. Names that differ only in case, width or
 * outer spaces are one field. A blank statement is ignored (T34).
 */
export function createUserProfileService(options: { readonly records: UserRecords }): UserProfileService {
  checkOptions("createUserProfileService", options, "records")
  const { records } = options
  return {
    async get(key) {
      const { version, statements } = await records.load(key)
      if (statements.length === 0) return { version, fields: [], history: [] }
      const { splitByAge } = await import("./show-user-profile.ts")
      return { version, ...splitByAge(statements) }
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
      const { showUserProfile } = await import("./show-user-profile.ts")
      showUserProfile(fields, maxCharacters, context)
    },
  }
}
