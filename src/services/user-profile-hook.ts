import { priority } from "../core/priority.ts"
import type { Fit } from "../core/value.ts"
import type { TurnHook } from "./turn-hook.ts"
import type { UserProfileService } from "./user-profile.ts"
import { userProfileText } from "./user-profile-text.ts"

/** It gives way after memories, for it is short and says more. */
const fit: Fit = { rank: 45, shrink: "entries" }

/**
 * Shows what the speaker said of themselves, as far as this conversation may see it, in the slot `user_profile` or in the rest slot;
 * nothing while the conversation's memory is off.
 */
export function userProfileHook(service: UserProfileService, { maxCharacters }: { readonly maxCharacters: number }): TurnHook {
  return {
    name: "user-profile",
    async beforeTurn({ key, speaker, memoryOn, stack }) {
      if (!memoryOn) return
      const text = userProfileText(await service.get(key), maxCharacters)
      if (text === "") return
      const content = [{ speaker: { text: speaker.name, trust: "user" as const }, text: { text, trust: "memory" as const } }]
      stack.add({ key: "user_profile", content, trust: "memory", priority: priority.characterMemories, scope: "turn", fit })
    },
  }
}
