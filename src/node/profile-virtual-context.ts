import { createVirtualContext } from "../forgetting/plugin/virtual-context.ts"
import type { VirtualContextOptions } from "../forgetting/plugin/virtual-context-settings.ts"
import type { Profile } from "../profile/profile.ts"
import { promptsWithOwn } from "./builtin-tools.ts"
import { camelKeys } from "./camel-keys.ts"
import type { ProfileFile } from "./profile-schema.ts"

/** A profile with its virtual context as a plugin, where it has one of the tables that set it (R11). */
export function withVirtualContext(
  profile: Profile,
  file: ProfileFile,
  { promptFolder }: { readonly promptFolder: string | undefined },
): Profile {
  const { events, workspace, pulled, compression } = file
  if (!(events || workspace || pulled || compression)) return profile
  const plugin = createVirtualContext({
    locale: profile.locale,
    prompts: promptsWithOwn(promptFolder),
    ...virtualContextInput(file, profile.timeZone),
  })
  return { ...profile, plugins: [...profile.plugins, plugin] }
}

/** The four tables as `createVirtualContext` takes them; what they leave open has its defaults. */
function virtualContextInput(file: ProfileFile, timeZone: string | undefined): VirtualContextOptions {
  const { miniFullContextCount, ...compression } = camelKeys(file.compression ?? {})
  return {
    events: { ...(timeZone === undefined ? {} : { timeZone }), ...eventsInput(file) },
    workspace: workspaceInput(file),
    pulled: camelKeys(file.pulled ?? {}),
    compression: { ...compression, ...(miniFullContextCount === undefined ? {} : { fullMessages: miniFullContextCount }) },
  }
}

function eventsInput({ events = {} }: ProfileFile): VirtualContextOptions["events"] {
  const { rememberYears, rememberMonths, rememberWeeks, rememberDays, rememberTopics, ...others } = camelKeys(events)
  const { weightStability, weightRetrievability, weightImportance, weightRelevance, topicGapMinutes, ...rest } = others
  return {
    ...rest,
    ...(topicGapMinutes === undefined ? {} : { topicGapMs: topicGapMinutes * 60_000 }),
    keep: given({ year: rememberYears, month: rememberMonths, week: rememberWeeks, day: rememberDays, moment: rememberTopics }),
    weights: given({
      stability: weightStability,
      retrievability: weightRetrievability,
      importance: weightImportance,
      relevance: weightRelevance,
    }),
  }
}

const defaultTurnsPerDay = 20

function workspaceInput({ workspace = {} }: ProfileFile): NonNullable<VirtualContextOptions["workspace"]> {
  const {
    clock,
    turnsPerDay = defaultTurnsPerDay,
    evictBelow,
    maxItems,
    shownItems,
    shownCharacters,
    ...decay
  } = camelKeys(workspace)
  const counting = { turns: { by: "turns", turnsPerDay }, days: { by: "days" } } as const
  return {
    ...given({ evictBelow, maxItems, shownItems, shownCharacters }),
    ...(clock === undefined ? {} : { clock: counting[clock] }),
    decay,
  }
}

/** Without what was not given. */
function given<T extends Readonly<Record<string, number | undefined>>>(values: T): { readonly [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: number
  }
}
