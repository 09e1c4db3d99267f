import { checkOptions } from "../../../core/check-options.ts"
import type { PromptSource } from "../../../prompt/dialect/prompt-source.ts"
import { type CompressionSettings, defaultCompression } from "../compressed-messages.ts"
import { type DecaySettings, decayPresets, type ForgettingClock } from "../decay.ts"
import { defaultSelection, type EventWeights } from "../events/select-events.ts"
import type { Grain, WeekKind } from "../events/stamp.ts"
import { hostTimeZone } from "../events/zoned-calendar.ts"
import { createWorkspace, type ForgettingWorkspace, type WorkspaceItem } from "../forgetting-workspace.ts"
import { defaultPulled, type PulledSettings } from "../pulled.ts"

/** The writer of compressed messages: a rule, which costs nothing, or the agent's model. */
export type Writer = "rule" | "model"

/**
 * The writer of events. `model` takes what the call that judges a turn's importance wrote of it, at no extra call, and where there is
 * nothing, as `rule` does, the words that tell most. `model-call` asks the agent's model once more for each topic and each summary.
 */
export type EventWriter = "rule" | "model" | "model-call"

/** Settings of events: how they are written and which are shown (R20, R21). */
export interface EventSettings {
  /** The IANA name of the time zone of days and stamps. Default: the host's. */
  readonly timeZone: string
  /** Weeks from Sunday to Saturday, or those of ISO 8601. */
  readonly weeks: WeekKind
  /** The most records of each grain that are shown, the newest (R3). */
  readonly keep: Readonly<Record<Grain, number>>
  /**
   * How long the texts of all shown events are together, at most. While there is room, the newest stretches are shown in detail; where
   * there is too little, long texts are cut. A character of Chinese, Japanese or Korean counts two.
   */
  readonly shownCharacters: number
  /** The most older events that come back. */
  readonly broughtBack: number
  readonly minScore: number
  readonly weights: EventWeights
  /** A topic ends after this time without a message. */
  readonly topicGapMs: number
  /** A topic ends after so many turns. */
  readonly topicTurns: number
  readonly writer: EventWriter
  /** Of more events those with the lowest score are forgotten, summarised ones first. */
  readonly maxEvents: number
}

/** Settings of the workspace (R15–R18). */
export interface WorkspaceSettings {
  readonly clock: ForgettingClock
  readonly evictBelow: number
  readonly maxItems: number
  /** The most items that a prompt shows: the best remembered ones. */
  readonly shownItems: number
  /** Longer texts are shown shortened. */
  readonly shownCharacters: number
  /** These numbers replace the preset's, one by one. */
  readonly decay: Partial<DecaySettings>
}

/** Settings of pulled information. Results of `tools` are pulled automatically, by the argument that names a file. */
export interface WatchedPulls extends PulledSettings {
  readonly tools: readonly string[]
}

export interface VirtualContextSettings {
  /** The language of stamps. */
  readonly locale: string
  readonly events: EventSettings
  readonly workspace: WorkspaceSettings
  readonly pulled: WatchedPulls
  readonly compression: CompressionSettings & { readonly writer: Writer }
}

/** Options of a virtual context. All have defaults. */
export interface VirtualContextOptions {
  /** The language of the tools' texts. Default `en`. */
  readonly locale?: string
  /** The prompts with the tools' texts. Default: the shipped ones. */
  readonly prompts?: readonly PromptSource[]
  readonly events?: Partial<Omit<EventSettings, "keep" | "weights">> & {
    readonly keep?: Partial<EventSettings["keep"]>
    readonly weights?: Partial<EventWeights>
  }
  readonly workspace?: Partial<WorkspaceSettings>
  readonly pulled?: Partial<WatchedPulls>
  readonly compression?: Partial<VirtualContextSettings["compression"]>
}

export const virtualContextDefaults = {
  events: {
    ...defaultSelection,
    weeks: "sunday",
    topicGapMs: 30 * 60_000,
    topicTurns: 12,
    writer: "model",
    maxEvents: 2_000,
  },
  workspace: { clock: { by: "days" }, evictBelow: 0.3, maxItems: 1_000, shownItems: 30, shownCharacters: 1_000, decay: {} },
  pulled: { ...defaultPulled, tools: ["read"] },
  compression: { ...defaultCompression, writer: "rule" },
} as const satisfies { readonly events: Omit<EventSettings, "timeZone"> } & Omit<VirtualContextSettings, "events" | "locale">

export function virtualContextSettings(input: VirtualContextOptions): VirtualContextSettings {
  const { events, workspace, pulled, compression } = virtualContextDefaults
  checkOptions("createVirtualContext", input, { ...virtualContextDefaults, locale: true, prompts: true })
  checkOptions("events of createVirtualContext", input.events ?? {}, { ...events, timeZone: true })
  checkOptions("keep of createVirtualContext", input.events?.keep ?? {}, events.keep)
  checkOptions("weights of createVirtualContext", input.events?.weights ?? {}, events.weights)
  checkOptions("workspace of createVirtualContext", input.workspace ?? {}, workspace)
  checkOptions("decay of createVirtualContext", input.workspace?.decay ?? {}, decayPresets.workspace)
  checkOptions("pulled of createVirtualContext", input.pulled ?? {}, pulled)
  checkOptions("compression of createVirtualContext", input.compression ?? {}, compression)
  return {
    locale: input.locale ?? "en",
    events: {
      ...events,
      timeZone: hostTimeZone(),
      ...input.events,
      keep: { ...events.keep, ...input.events?.keep },
      weights: { ...events.weights, ...input.events?.weights },
    },
    workspace: { ...workspace, ...input.workspace },
    pulled: { ...pulled, ...input.pulled },
    compression: { ...compression, ...input.compression },
  }
}

/** The workspace of a state, with the settings of a virtual context. */
export function workspaceOf(
  { clock, evictBelow, maxItems, decay }: WorkspaceSettings,
  items: readonly WorkspaceItem[],
): ForgettingWorkspace {
  return createWorkspace({ clock, evictBelow, maxItems, settings: decay, items })
}
