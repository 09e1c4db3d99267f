import type { VirtualContextOptions } from "../../memory/forgetting/plugin/virtual-context-settings.ts"
import type { Profile } from "../../profile/profile.ts"
import { type ProfileFile, profileFileKeys } from "../../profile/profile-file-keys.ts"
import { withDefaults } from "../../profile/resolve.ts"
import { promptsWithOwn } from "../builtin-tools.ts"

const { events, workspace, pulled, compression } = profileFileKeys.keys

/** A profile with its virtual context as a plugin, where its file has one of the tables that set it (R11). */
export async function withVirtualContext(
  profile: Profile,
  file: ProfileFile,
  promptFolder: string | undefined,
): Promise<Profile> {
  if (!(file.events || file.workspace || file.pulled || file.compression)) return profile
  const { createVirtualContext } = await import("../../memory/forgetting/plugin/virtual-context.ts")
  const plugin = createVirtualContext({
    locale: profile.locale,
    prompts: promptsWithOwn(profile.locale, promptFolder),
    ...virtualContextInput(file, profile.timeZone),
  })
  return { ...profile, plugins: [...profile.plugins, plugin] }
}

/** The four tables as `createVirtualContext` takes them. */
function virtualContextInput(file: ProfileFile, timeZone: string | undefined): VirtualContextOptions {
  const { miniFullContextCount, ...shortening } = withDefaults(compression.keys, file.compression ?? {})
  return {
    events: eventsInput({ ...file.events, timeZone: file.events?.timeZone ?? timeZone }),
    workspace: workspaceInput(file.workspace),
    pulled: withDefaults(pulled.keys, file.pulled ?? {}),
    compression: { ...shortening, fullMessages: miniFullContextCount },
  }
}

function eventsInput(given: NonNullable<ProfileFile["events"]>): Required<VirtualContextOptions>["events"] {
  const { rememberYears, rememberMonths, rememberWeeks, rememberDays, rememberTopics, ...others } = withDefaults(
    events.keys,
    given,
  )
  const { weightStability, weightRetrievability, weightImportance, weightRelevance, topicGapMinutes, ...rest } = others
  return {
    ...rest,
    topicGapMs: topicGapMinutes * 60_000,
    keep: { year: rememberYears, month: rememberMonths, week: rememberWeeks, day: rememberDays, moment: rememberTopics },
    weights: {
      stability: weightStability,
      retrievability: weightRetrievability,
      importance: weightImportance,
      relevance: weightRelevance,
    },
  }
}

function workspaceInput(given: ProfileFile["workspace"] = {}): Required<VirtualContextOptions>["workspace"] {
  const { clock, turnsPerDay, evictBelow, maxItems, shownItems, shownCharacters, ...decay } = withDefaults(workspace.keys, given)
  const counting = { turns: { by: "turns", turnsPerDay }, days: { by: "days" } } as const
  return { clock: counting[clock], evictBelow, maxItems, shownItems, shownCharacters, decay }
}
