import { defaultRecallWeights } from "../services/recall/recall-weights.ts"
import { bounded, key, table } from "./profile-fields.ts"

const { words, grams, characters, phrase, neighbours, session, speaker, time, answer, vector, recency, importance } =
  defaultRecallWeights

/** `[recall_weights]` */
export const weightsTable = table("What counts how much in recall; 0 leaves a signal out.", {
  words: key(bounded("recallWeights.words"), { meaning: "Words of the question, by their rarity.", fallback: words }),
  grams: key(bounded("recallWeights.grams"), { meaning: "Pieces of words: other forms of a word.", fallback: grams }),
  characters: key(bounded("recallWeights.characters"), {
    meaning: "Characters and pairs of what is written without spaces.",
    fallback: characters,
  }),
  phrase: key(bounded("recallWeights.phrase"), { meaning: "Quoted words in their order.", fallback: phrase }),
  neighbours: key(bounded("recallWeights.neighbours"), {
    meaning: "What was said just before and after.",
    fallback: neighbours,
  }),
  session: key(bounded("recallWeights.session"), { meaning: "What the whole conversation was about.", fallback: session }),
  speaker: key(bounded("recallWeights.speaker"), { meaning: "Who is asked about.", fallback: speaker }),
  time: key(bounded("recallWeights.time"), { meaning: "When it was, where the question says.", fallback: time }),
  answer: key(bounded("recallWeights.answer"), {
    meaning: "That it looks like an answer to the kind of question.",
    fallback: answer,
  }),
  vector: key(bounded("recallWeights.vector"), { meaning: "Likeness of embeddings, where there are any.", fallback: vector }),
  recency: key(bounded("recallWeights.recency"), { meaning: "How lately it came up.", fallback: recency }),
  importance: key(bounded("recallWeights.importance"), { meaning: "How important it was judged.", fallback: importance }),
})
