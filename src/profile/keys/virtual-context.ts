import { decayPresets } from "../../memory/forgetting/decay.ts"
import { weekKinds } from "../../memory/forgetting/events/stamp.ts"
import { virtualContextDefaults } from "../../memory/forgetting/plugin/virtual-context-settings.ts"
import { choice, line, lines, number, share, table, timeZoneForm, wholeNumber } from "../key.ts"

const defaults = virtualContextDefaults
const { keep, weights } = defaults.events
const decay = decayPresets.workspace

const count = (words: string, fallback: number) => wholeNumber({ min: 0, max: 10_000, default: fallback, words })
const atLeastOne = (words: string, fallback: number) => wholeNumber({ min: 1, max: 1_000_000, default: fallback, words })
const part = (words: string, fallback: number) => share({ default: fallback, words })
const amount = (words: string, fallback: number) => number({ min: 0, max: 1_000, default: fallback, words })
export const events = table(
  "The events that the agent remembers: topics, summed up into days, weeks, months and years. Any one of the tables events, workspace, pulled and compression switches the virtual context on, with all four.",
  {
    timeZone: line({
      form: timeZoneForm,
      words: "The time zone of events: where a day begins, and how prompts show times.",
      otherwise: "`time_zone`",
    }),
    weeks: choice(weekKinds, {
      default: defaults.events.weeks,
      words: "Weeks run from Sunday to Saturday, or as in ISO 8601 from Monday to Sunday.",
    }),
    rememberYears: count("How many years prompts show at most, the newest.", keep.year),
    rememberMonths: count("How many months prompts show at most, the newest that no year covers.", keep.month),
    rememberWeeks: count("How many weeks prompts show at most, the newest that no month covers.", keep.week),
    rememberDays: count("How many days prompts show at most, the newest that nothing longer covers.", keep.day),
    rememberTopics: count("How many topics prompts show at most, the newest that nothing longer covers.", keep.moment),
    shownCharacters: atLeastOne(
      "How long the texts of all shown events are together, at most. While there is room, the newest stretches of time are shown in detail; where there is too little, long texts are cut. A character of Chinese, Japanese or Korean counts two.",
      defaults.events.shownCharacters,
    ),
    broughtBack: count(
      "How many older events come back at most, beside what stands for their time.",
      defaults.events.broughtBack,
    ),
    minScore: amount("Older events with a lower score do not come back.", defaults.events.minScore),
    weightStability: part("How much an event's stability counts in its score.", weights.stability),
    weightRetrievability: part("How much an event's freshness counts in its score.", weights.retrievability),
    weightImportance: part(
      "How much an event's importance, as it was judged when written, counts in its score.",
      weights.importance,
    ),
    weightRelevance: part("How much it counts in an event's score that the question speaks of it.", weights.relevance),
    topicGapMinutes: number({
      min: 1,
      max: 10_000,
      default: defaults.events.topicGapMs / 60_000,
      words: "A topic ends when nobody says anything for this long.",
    }),
    topicTurns: atLeastOne("A topic ends after so many turns.", defaults.events.topicTurns),
    writer: choice(["model", "rule", "model-call"], {
      default: defaults.events.writer,
      words:
        '"model": an event is what the call that judges the importance of turns wrote of the most important one; that takes a store with memory, and costs no call. Where it wrote nothing, and with "rule", an event is made of the words that tell most. "model-call" asks the model once more for each topic, and for each summary. All write after a turn, so nobody waits.',
    }),
    maxEvents: atLeastOne(
      "How many events are kept at all. Of more, those that a summary covers are deleted first.",
      defaults.events.maxEvents,
    ),
  },
)

export const workspace = table("The things that the agent keeps at hand. It forgets those that it does not use.", {
  clock: choice(["days", "turns"], {
    default: defaults.workspace.clock.by,
    words: "Things fade with the days that pass, or with the turns.",
  }),
  turnsPerDay: number({ min: 0.01, max: 10_000, default: 20, words: 'How many turns count as a day, with clock = "turns".' }),
  evictBelow: part("Things that are remembered less well than this are removed.", defaults.workspace.evictBelow),
  maxItems: atLeastOne("How many things are kept. Of more, the least remembered are removed.", defaults.workspace.maxItems),
  shownItems: count("How many things prompts show, the best remembered first.", defaults.workspace.shownItems),
  shownCharacters: atLeastOne("A longer thing is shown shortened.", defaults.workspace.shownCharacters),
  gain: amount("How much a use strengthens a thing.", decay.gain),
  usedDifficulty: amount("How hard it is to remember a thing that was used.", decay.usedDifficulty),
  maybeUsedDifficulty: amount("How hard it is to remember a thing that may have been used.", decay.maybeUsedDifficulty),
  maxJumpMini: count("If fewer turns have passed since the last mention, a use strengthens nothing.", decay.maxJumpMini),
  maxJumpLarge: count("If fewer turns have passed since the last mention, a use strengthens little.", decay.maxJumpLarge),
})

export const pulled = table("Things that the agent looked at once. A line of each stays for some turns.", {
  keepTurns: count("After so many turns the line is removed.", defaults.pulled.keepTurns),
  maxItems: atLeastOne("How many lines are kept. Of more, the oldest are removed.", defaults.pulled.maxItems),
  summaryCharacters: atLeastOne("How long the line is.", defaults.pulled.summaryCharacters),
  tools: lines("read", {
    default: defaults.pulled.tools,
    words: "Tools whose results count as looked at, if an argument names a file.",
  }),
})

export const compression = table("How the agent's own older messages are shown. What users said is never shortened.", {
  maxCharacters: atLeastOne("A longer message is shown shortened.", defaults.compression.maxCharacters),
  miniFullContextCount: count("The agent's last so many messages are always shown whole.", defaults.compression.fullMessages),
  budgetCharacters: atLeastOne(
    "If the conversation that is shown is longer, shorter messages are shortened too, the oldest first.",
    defaults.compression.budgetCharacters,
  ),
  targetCharacters: atLeastOne("How long a shortened message is, at most.", defaults.compression.targetCharacters),
  writer: choice(["rule", "model"], {
    default: defaults.compression.writer,
    words: "A rule writes the shortened messages, or the agent's model does. Both write after a turn, so nobody waits for it.",
  }),
})
