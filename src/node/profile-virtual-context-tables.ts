import { z } from "zod"
import { decayPresets } from "../forgetting/decay.ts"
import { virtualContextDefaults } from "../forgetting/plugin/virtual-context-settings.ts"
import { type Bounds, describeBounds } from "../profile/bounds.ts"
import { findTimeZone } from "../tools/builtin/time-zone.ts"
import { choice, key, names, table, text } from "./profile-fields.ts"

const { events, workspace, pulled, compression } = virtualContextDefaults
const decay = decayPresets.workspace

function number(bounds: Bounds) {
  const expected = { error: describeBounds(bounds) }
  const type = bounds.integer ? z.int(expected) : z.number(expected)
  return bounds.max === undefined ? type.min(bounds.min, expected) : type.min(bounds.min, expected).max(bounds.max, expected)
}

const count = () => number({ min: 0, max: 10_000, integer: true })
const atLeastOne = () => number({ min: 1, max: 1_000_000, integer: true })
const weight = () => number({ min: 0, max: 1, integer: false })
const real = () => number({ min: 0, max: 1_000, integer: false })
const writer = () => choice("rule", "model")

const writerMeaning = "Who writes it, after a turn and never while anybody waits: a rule, or the agent's model."

/** `[events]` */
export const eventsTable = table(
  "What happened, as the agent remembers it: topics, summed up into days, weeks, months and years. One of the tables events, workspace, pulled and compression switches the virtual context on, with all four.",
  {
    time_zone: key(
      text().refine((name) => findTimeZone(name) !== undefined, { error: 'a time zone such as "Asia/Shanghai"' }),
      {
        meaning: "Where days begin, and what the times of events mean.",
        otherwise: "`time_zone`",
      },
    ),
    remember_years: key(count(), { meaning: "Newest years that prompts show.", fallback: events.keep.year }),
    remember_months: key(count(), { meaning: "Newest months that prompts show.", fallback: events.keep.month }),
    remember_weeks: key(count(), { meaning: "Newest weeks that prompts show.", fallback: events.keep.week }),
    remember_days: key(count(), { meaning: "Newest days that prompts show.", fallback: events.keep.day }),
    remember_topics: key(count(), { meaning: "Newest topics that prompts show.", fallback: events.keep.moment }),
    brought_back: key(count(), { meaning: "Older events that come back, at most.", fallback: events.broughtBack }),
    min_score: key(real(), { meaning: "Older events with a lower score stay away.", fallback: events.minScore }),
    weight_stability: key(weight(), {
      meaning: "How much of the score is how firm an event is.",
      fallback: events.weights.stability,
    }),
    weight_retrievability: key(weight(), {
      meaning: "How much of the score is how fresh it is.",
      fallback: events.weights.retrievability,
    }),
    weight_importance: key(weight(), {
      meaning: "How much of the score is how important it was when it was written.",
      fallback: events.weights.importance,
    }),
    weight_relevance: key(weight(), {
      meaning: "How much of the score is how well it fits the question.",
      fallback: events.weights.relevance,
    }),
    topic_gap_minutes: key(number({ min: 1, max: 10_000, integer: false }), {
      meaning: "So long without a word ends a topic.",
      fallback: events.topicGapMs / 60_000,
    }),
    topic_turns: key(atLeastOne(), { meaning: "So many turns end a topic.", fallback: events.topicTurns }),
    writer: key(writer(), { meaning: writerMeaning, fallback: events.writer }),
    max_events: key(atLeastOne(), {
      meaning: "Events that are kept at all; of more, those that a summary stands for go first.",
      fallback: events.maxEvents,
    }),
  },
)

/** `[workspace]` */
export const workspaceTable = table("What the agent keeps at hand, and forgets when it does not use it.", {
  clock: key(choice("days", "turns"), { meaning: "Whether things fade with days or with turns.", fallback: workspace.clock.by }),
  turns_per_day: key(number({ min: 0.01, max: 10_000, integer: false }), {
    meaning: 'How many turns count as a day, with clock = "turns".',
    fallback: 20,
  }),
  evict_below: key(weight(), { meaning: "What is less well remembered than this is taken out.", fallback: workspace.evictBelow }),
  max_items: key(atLeastOne(), { meaning: "Of more things the least remembered are taken out.", fallback: workspace.maxItems }),
  shown_items: key(count(), { meaning: "Things that prompts show, the best remembered.", fallback: workspace.shownItems }),
  shown_characters: key(atLeastOne(), {
    meaning: "What is longer is shown shortened.",
    fallback: workspace.shownCharacters,
  }),
  gain: key(real(), { meaning: "How much a use strengthens.", fallback: decay.gain }),
  used_difficulty: key(real(), { meaning: "How hard what was used is to remember.", fallback: decay.usedDifficulty }),
  maybe_used_difficulty: key(real(), {
    meaning: "How hard what may be used is to remember.",
    fallback: decay.maybeUsedDifficulty,
  }),
  max_jump_mini: key(count(), {
    meaning: "Turns since the last mention below which a use strengthens nothing.",
    fallback: decay.maxJumpMini,
  }),
  max_jump_large: key(count(), {
    meaning: "Turns since the last mention below which a use strengthens little.",
    fallback: decay.maxJumpLarge,
  }),
})

/** `[pulled]` */
export const pulledTable = table("What the agent looked at once: a line of it stays for some turns.", {
  keep_turns: key(count(), { meaning: "Turns after which it is cleared away.", fallback: pulled.keepTurns }),
  max_items: key(atLeastOne(), { meaning: "Of more the oldest are cleared away.", fallback: pulled.maxItems }),
  summary_characters: key(atLeastOne(), { meaning: "How long the line is.", fallback: pulled.summaryCharacters }),
  tools: key(names("read"), {
    meaning: "Tools whose results count as looked at, where an argument names a file.",
    fallback: pulled.tools,
  }),
})

/** `[compression]` */
export const compressionTable = table("How the agent's own older messages are shown. What users said is never shortened.", {
  max_characters: key(atLeastOne(), { meaning: "A longer message is shown shortened.", fallback: compression.maxCharacters }),
  mini_full_context_count: key(count(), {
    meaning: "The agent's last so many messages are always shown whole.",
    fallback: compression.fullMessages,
  }),
  budget_characters: key(atLeastOne(), {
    meaning: "Where the conversation that is shown is longer, shorter messages are shortened too, the oldest first.",
    fallback: compression.budgetCharacters,
  }),
  target_characters: key(atLeastOne(), {
    meaning: "How long a shortened message is at most.",
    fallback: compression.targetCharacters,
  }),
  writer: key(writer(), { meaning: writerMeaning, fallback: compression.writer }),
})
