import { defaultEventWeights, defaultKeep, type EventWeights } from "../../forgetting/events/select-events.ts"
import type { Grain } from "../../forgetting/events/stamp.ts"
import { hostTimeZone } from "../../forgetting/events/zoned-calendar.ts"
import { type CompressionSettings, defaultCompression } from "../compressed-messages.ts"
import type { DecaySettings, ForgettingClock } from "../decay.ts"
import { defaultPulled, type PulledSettings } from "../pulled.ts"

/** Who writes events, roll-ups and compressed messages: a rule, at once and for nothing, or the agent's model, in the background. */
export type Writer = "rule" | "model"

/** How events are written and which are shown (R20, R21). */
export interface EventSettings {
  /** An IANA name: where days begin, and what stamps mean. Default: the host's. */
  readonly timeZone: string
  /** The newest so many of each grain are shown (R3). */
  readonly keep: Readonly<Record<Grain, number>>
  /** Older ones that come back, at most. */
  readonly broughtBack: number
  readonly minScore: number
  readonly weights: EventWeights
  /** So long without a word ends a topic. */
  readonly topicGapMs: number
  /** So many turns end a topic. */
  readonly topicTurns: number
  readonly writer: Writer
  /** Of more, moments that a day has summarised are forgotten first, the lowest score first. */
  readonly maxEvents: number
}

/** How the workspace forgets (R15–R18). */
export interface WorkspaceSettings {
  readonly clock: ForgettingClock
  readonly evictBelow: number
  readonly maxItems: number
  /** A prompt shows at most so many, the best remembered. */
  readonly shownItems: number
  /** What is longer is shown shortened. */
  readonly shownCharacters: number
  /** Numbers of the forgetting curve in place of the preset's. */
  readonly decay: Partial<DecaySettings>
}

/** What is pulled without being asked for: results of these tools, by the argument that names a file. */
export interface WatchedPulls extends PulledSettings {
  readonly tools: readonly string[]
}

/** Everything that a virtual context is set by, complete. */
export interface VirtualContextSettings {
  readonly events: EventSettings
  readonly workspace: WorkspaceSettings
  readonly pulled: WatchedPulls
  readonly compression: CompressionSettings & { readonly writer: Writer }
}

/** The settings as one writes them: every part may be left out. */
export interface VirtualContextInput {
  readonly events?: Partial<Omit<EventSettings, "keep" | "weights">> & {
    readonly keep?: Partial<EventSettings["keep"]>
    readonly weights?: Partial<EventWeights>
  }
  readonly workspace?: Partial<WorkspaceSettings>
  readonly pulled?: Partial<WatchedPulls>
  readonly compression?: Partial<VirtualContextSettings["compression"]>
}

/** What holds where nothing is said (marked "chosen" in the requirements). */
export const virtualContextDefaults = {
  events: {
    keep: defaultKeep,
    broughtBack: 5,
    minScore: 0.3,
    weights: defaultEventWeights,
    topicGapMs: 30 * 60_000,
    topicTurns: 12,
    writer: "rule",
    maxEvents: 2_000,
  },
  workspace: {
    clock: { by: "days" },
    evictBelow: 0.3,
    maxItems: 1_000,
    shownItems: 30,
    shownCharacters: 1_000,
    decay: {},
  },
  pulled: { ...defaultPulled, tools: ["read"] },
  compression: { ...defaultCompression, writer: "rule" },
} as const satisfies { readonly events: Omit<EventSettings, "timeZone"> } & Omit<VirtualContextSettings, "events">

/** The settings, whole. */
export function virtualContextSettings(input: VirtualContextInput): VirtualContextSettings {
  const { events, workspace, pulled, compression } = virtualContextDefaults
  return {
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
