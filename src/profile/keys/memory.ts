import { defaultRecallWeights } from "../../memory/services/recall/recall-weights.ts"
import { promptSlots } from "../../prompt/layers/prompt-names.ts"
import { choice, flag, line, list, milliseconds, nameForm, number, type TextForm, table, wholeNumber } from "../key.ts"
import { backgroundModel } from "./processes.ts"

export const memory = table("How memories enter a turn.", {
  enabled: flag({
    default: true,
    otherwise: 'true; with a `[plugins]` table, true if it lists "memory"',
    words:
      "This alone decides: with false, nothing is recalled and nothing learnt. A conversation can also switch its own memory off.",
  }),
  store: choice(["records", "documents"], {
    default: "records",
    words: 'With "documents", what is learnt is written into USER.md and MEMORY.md, and nothing is recalled.',
  }),
  recallLimit: wholeNumber({ min: 0, default: 8, words: "The most memories that recall may bring." }),
  minConfidence: number({
    min: 0,
    max: 1,
    default: 0,
    words: "Memories of which it is less likely that they help to answer are not recalled.",
  }),
  recallTokens: wholeNumber({
    min: 50,
    default: 400,
    words: "The most tokens of recalled memories that a turn shows, the best ones. One memory takes at most half of them.",
  }),
  importanceThreshold: number({
    min: 0,
    max: 10,
    default: 5,
    words: "A turn is stored if the model judges its importance, from 0 to 10, to be at least this.",
  }),
  reflectEvery: wholeNumber({
    min: 0,
    max: 1_000,
    default: 20,
    words: "After so many memories the agent reflects on them and stores insights. 0 means never.",
  }),
  reflectImportance: number({
    min: 1,
    otherwise: "never",
    words: "The agent also reflects once the importance of new memories adds up to this.",
  }),
  reflectSchedule: line({
    otherwise: "never",
    words: 'The agent also reflects at each moment of this cron pattern, such as "0 4 * * *", in `time_zone`.',
  }),
  duplicateSimilarity: number({
    min: 0.5,
    max: 1,
    otherwise: "only equal words count as one memory",
    words:
      "With an embedding model: from this cosine similarity on, a newer memory of the same speaker replaces the older one. The older one is kept as history.",
  }),
  rerankMs: milliseconds({
    default: 1_500,
    words:
      "With `services.rerank`: how long it may take, at most half of `limits.prestart_ms`. After that, memories stay in the order of recall.",
  }),
  keys: flag({
    default: true,
    words:
      "The call that judges the importance also writes keys: search words that the messages do not hold, the fact that they tell, and days as dates.",
  }),
  batchTurns: wholeNumber({
    min: 1,
    max: 50,
    otherwise: "10; 1 with the dialect fay",
    words:
      "The number of turns of a private conversation that one call of the model judges. A minute without a turn ends a batch, too. From 2 on, the same call finds what the user told of themselves.",
  }),
  stepMs: milliseconds({ default: 120_000, words: "How long each step after a turn may take." }),
  model: backgroundModel,
  profileCharacters: wholeNumber({
    min: 0,
    default: 1_000,
    words: "The most characters that a prompt shows of what users said about themselves.",
  }),
})

const weight = (words: string, fallback: number) => number({ min: 0, default: fallback, words })
const weights = defaultRecallWeights

export const recallWeights = table("How much each signal counts in recall. 0 leaves a signal out.", {
  words: weight("Words of the question. A rare word counts more.", weights.words),
  grams: weight("Pieces of words, which find other forms of a word.", weights.grams),
  characters: weight("Characters and pairs of characters, in text that is written without spaces.", weights.characters),
  self: weight("`I` and `my` in a question, and in what somebody says of themselves; in English.", weights.self),
  keys: weight("Words that a model wrote beside a memory when it was kept (`[memory] keys`).", weights.keys),
  phrase: weight("Quoted words in their order.", weights.phrase),
  neighbours: weight("Messages just before and after.", weights.neighbours),
  session: weight("The subject of the whole conversation.", weights.session),
  talk: weight("The messages around the best one.", weights.talk),
  speaker: weight("The speaker is the one that is asked about.", weights.speaker),
  time: weight("The time is the one that the question names.", weights.time),
  answer: weight("It looks like an answer to this kind of question.", weights.answer),
  order: weight("It is the newest or the oldest that matches, if the question asks for that.", weights.order),
  vector: weight(
    "The most that the similarity of embeddings may count, where there are any. It counts less where words find the answer.",
    weights.vector,
  ),
  recency: weight("How recently it came up.", weights.recency),
  importance: weight("How important it was judged.", weights.importance),
})

/** Keys that are no blocks of context, so that a profile cannot leave them out (L7b): every turn needs them. */
export const turnSlots: readonly string[] = [...promptSlots, "tool_parameters"].filter(
  (slot) => slot !== "memories" && slot !== "prestart" && slot !== "file_faults",
)

/** A name, but none of those that every turn needs. */
const contextForm: TextForm = {
  expected: "the key of a block of context, not of what every turn needs",
  pattern: `^(?!(?:${turnSlots.join("|")})$)${nameForm.pattern?.slice(1)}`,
}

export const context = table("Layer 5: everything in a turn's prompt that is not the user's own words.", {
  off: list<string, readonly string[]>(
    { kind: "text", form: contextForm },
    {
      default: [],
      expected: 'an array of keys of context, such as ["memories"]',
      words:
        "Blocks of context that prompts leave out, by key, such as memories, prestart, user_profile or the key under which a hook adds one. All others are on (L7b).",
    },
  ),
  older: choice(["drop", "condense", "keep"], {
    default: "drop",
    words: "The part of an earlier turn's recalled memories that history shows: nothing, a short line for each, or all of it.",
  }),
  sessionMarkers: flag({
    default: false,
    words:
      "With true, the lines that open and close a block hold an id that each session makes for itself, as in `[memory context 7f3a91c2]`, so that no text can know them.",
  }),
  olderCharacters: wholeNumber({ min: 1, default: 120, words: 'How long such a line is with "condense".' }),
})
