import { type Breakage, changeString, changeWord, type Draft, pick } from "./breakage.ts"
import { isString, type Token } from "./planner-tokens.ts"

const pairs = {
  straight: ['"', '"'],
  single: ["'", "'"],
  curly: ["\u201c", "\u201d"],
  curlySingle: ["\u2018", "\u2019"],
} as const

const identifier = /^[A-Za-z_$][\w$]*$/
const word = /^[A-Za-z_][\w.]*$/

function strings({ tokens }: Draft, holds: (token: Token) => boolean = () => true): Token[] {
  return tokens.filter((token) => isString(token) && holds(token))
}

/** A breakage of the strings that `holds`; there is nothing to break where none does. */
function ofStrings(
  name: string,
  change: (token: Token, random: () => number) => void,
  holds: (token: Token) => boolean = () => true,
  survival: "meant" | "lost" = "meant",
): Breakage {
  return {
    name,
    apply: (draft) => {
      const chosen = strings(draft, holds)
      for (const token of chosen) change(token, draft.random)
      return chosen.length === 0 ? "nothing" : survival
    },
  }
}

/** A breakage of one string that has to be changed for it first. */
function ofSeasoned(breakage: Breakage, season: (text: string, random: () => number) => string): Breakage {
  return { ...breakage, season: (meant, random) => changeString(meant, random, (text) => season(text, random)) }
}

/** What quotes and names are told by. */
const telling = /["'\u2018-\u201f:[\]{}]/g

function bare(token: Token): void {
  token.text = token.value
}

/** Ways to get names and strings wrong. */
export const stringBreakages: readonly Breakage[] = [
  ofStrings("single quotes", (token) => {
    token.quotes = pairs.single
  }),
  ofSeasoned(
    ofStrings("single quotes, bare apostrophes", (token) => {
      token.quotes = pairs.single
      token.bareQuotes = /^[^'"]*[a-z]'[a-z][^'"]*$/.test(token.value)
    }),
    (text, random) => (/['"]/.test(text) ? text : changeWord(text, random, (found) => `${found} it's`)),
  ),
  ofStrings("curly quotes", (token) => {
    token.quotes = pairs.curly
  }),
  ofStrings("curly single quotes", (token) => {
    token.quotes = /[\u2018\u2019]/.test(token.value) ? pairs.straight : pairs.curlySingle
  }),
  ofStrings("curly quotes around values", (token) => {
    if (token.kind === "string") token.quotes = pairs.curly
  }),
  ofStrings("mixed quotes", (token, random) => {
    token.quotes = pick(random, [pairs.straight, pairs.single, pairs.curly])
  }),
  ofStrings("unquoted keys", bare, ({ kind, value }) => kind === "key" && identifier.test(value)),
  ofStrings("unquoted words", bare, ({ kind, value, depth }) => {
    if (kind === "key") return identifier.test(value)
    return depth === 1 && word.test(value)
  }),
  ofSeasoned(
    ofStrings(
      "raw newlines",
      (token) => {
        token.rawControls = true
      },
      ({ value }) => value.includes("\n"),
    ),
    (text, random) => changeWord(text, random, (found) => `${found}\nnext`),
  ),
  ofSeasoned(
    ofStrings(
      "raw tabs",
      (token) => {
        token.rawControls = true
      },
      ({ value }) => value.includes("\t"),
    ),
    (text, random) => changeWord(text, random, (found) => `${found}\tx`),
  ),
  ofSeasoned(
    ofStrings(
      "bad escapes",
      (token) => {
        token.bareBackslashes = true
      },
      ({ value }) => value.includes("\\"),
    ),
    (text, random) =>
      changeWord(text, random, (found) => `${found} ${pick(random, ["C:\\Data\\Work.txt", "\\d+\\s*", "\\(x\\)", "\\alpha"])}`),
  ),
  ofSeasoned(
    {
      name: "a backslash before the closing quote",
      apply: (draft) => {
        const chosen = strings(draft, ({ value }) => value.endsWith("\\"))
        for (const token of chosen) token.bareBackslashes = true
        draft.isOpenEnded = true
        return chosen.length === 0 ? "nothing" : "lost"
      },
    },
    (text) => `${text} C:\\`,
  ),
  ofSeasoned(
    ofStrings(
      "inner quotes",
      (token) => {
        token.bareQuotes = true
      },
      ({ value }) => /(^| )"\S+"( |$)/.test(value),
    ),
    (text, random) =>
      changeWord(`${text.replace(telling, "")} now`, random, (found) => `"${/^[\p{L}\p{N}]+$/u.test(found) ? found : "word"}"`),
  ),
  ofSeasoned(
    ofStrings(
      "inner quotes around a phrase",
      (token) => {
        token.bareQuotes = true
      },
      ({ value }) => value.includes('"the old one, please",'),
    ),
    (text, random) => changeWord(text.replace(telling, ""), random, (found) => `${found} "the old one, please", ok`),
  ),
  ofSeasoned(
    ofStrings(
      "a lone inner quote",
      (token) => {
        token.bareQuotes = true
      },
      ({ value }) => /\d"/.test(value),
      "lost",
    ),
    (text, random) => changeWord(text, random, (found) => `${found} 6" pipe`),
  ),
  {
    name: "a missing closing quote",
    apply: (draft) => {
      const chosen = strings(draft)
      const token = pick(draft.random, chosen)
      if (token === undefined) return "nothing"
      token.quotes = [token.quotes[0], ""]
      draft.isOpenEnded = true
      return "lost"
    },
  },
  {
    name: "a missing opening quote",
    apply: (draft) => {
      const token = pick(draft.random, strings(draft))
      if (token === undefined) return "nothing"
      token.quotes = ["", token.quotes[1]]
      return "lost"
    },
  },
]
