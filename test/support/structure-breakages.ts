import { type Breakage, type Draft, pick, type Survival } from "./breakage.ts"
import { isString, type Json, type Meant, type Token } from "./planner-tokens.ts"

function last(list: readonly Token[]): number {
  return list.length - 1
}

/** Takes out one of the tokens that `holds`. */
function remove(draft: Draft, holds: (token: Token, index: number) => boolean, survival: Survival): Survival {
  const places = [...draft.tokens.keys()].filter((index) => {
    const token = draft.tokens[index]
    return token !== undefined && holds(token, index)
  })
  const at = pick(draft.random, places)
  if (at === undefined) return "nothing"
  draft.tokens.splice(at, 1)
  return survival
}

/** Puts `text` before one of the tokens that `holds`. */
function insert(draft: Draft, text: () => string, holds: (token: Token, index: number) => boolean): boolean {
  const places = [...draft.tokens.keys()].filter((index) => {
    const token = draft.tokens[index]
    return token !== undefined && holds(token, index) && !(draft.isOpenEnded && draft.tokens[index - 1]?.kind === "string")
  })
  const token = draft.tokens[pick(draft.random, places) ?? -1]
  if (token === undefined) return false
  token.gap = text() + token.gap
  return true
}

/** True where one brace too many could as well stand further in: an object in an object, with members after it. */
function couldBeCut(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(couldBeCut)
  const members = Object.values(value)
  const isObject = (member: Json) => typeof member === "object" && member !== null && !Array.isArray(member)
  return members.some((member, index) => (isObject(member) && index < members.length - 1) || couldBeCut(member))
}

/**
 * True where a missing last brace could as well be one missing inside the arguments: an object in an object, both
 * ending where the arguments end, has more than one member.
 */
function couldEndEarlier({ meant }: Draft): boolean {
  let value: unknown = meant.action === "tool" ? meant.args : {}
  let isInObject = false
  for (let depth = 0; typeof value === "object" && value !== null; depth++) {
    const members = Object.values(value)
    const isObject = !Array.isArray(value)
    if (depth > 0 && isObject && isInObject && members.length > 1) return true
    isInObject = isObject
    value = members.at(-1)
  }
  return false
}

function comments(name: string, write: (draft: Draft) => string): Breakage {
  return {
    name,
    apply: (draft) =>
      insert(
        draft,
        () => write(draft),
        (_, index) => index > 0,
      )
        ? "meant"
        : "nothing",
  }
}

const remarks = ["the call", "it's what they asked", 'a "guess"', "see {x}, [y]", "查询：城市"]

const python = new Map([
  ["true", "True"],
  ["false", "False"],
  ["null", "None"],
])
const wide = new Map([
  ["{", "｛"],
  ["}", "｝"],
  ["[", "［"],
  ["]", "］"],
  [":", "："],
  [",", "，"],
])

function withFlags(meant: Meant, random: () => number): Meant {
  if (meant.action === "finish") return meant
  return { ...meant, args: { verbose: random() < 0.5, ...meant.args, limit: null } }
}

/** Ways to get braces, commas, words and white space wrong. */
export const structureBreakages: readonly Breakage[] = [
  {
    name: "a missing last brace",
    apply: (draft) => {
      const before = draft.tokens.at(-2)
      const isBareBefore = before?.kind === "string" && !isString(before)
      return remove(draft, (_, index) => index === last(draft.tokens), isBareBefore || couldEndEarlier(draft) ? "lost" : "meant")
    },
  },
  {
    name: "two missing last braces",
    apply: (draft) => {
      const isCall = draft.meant.action === "tool"
      if (!isCall) return "nothing"
      draft.tokens.splice(-2)
      return "lost"
    },
  },
  {
    name: "any missing closing brace",
    apply: (draft) => remove(draft, ({ text }) => text === "}", "lost"),
  },
  { name: "a missing closing bracket", apply: (draft) => remove(draft, ({ text }) => text === "]", "lost") },
  { name: "a missing opening brace", apply: (draft) => remove(draft, (_, index) => index === 0, "meant") },
  {
    name: "an inner opening brace missing",
    apply: (draft) => remove(draft, ({ text }, index) => text === "{" && index > 0, "lost"),
  },
  {
    name: "a trailing comma",
    apply: (draft) =>
      insert(
        draft,
        () => ",",
        ({ kind }, index) => kind === "close" && draft.tokens[index - 1]?.kind !== "open",
      )
        ? "meant"
        : "nothing",
  },
  {
    name: "a comma too many",
    apply: (draft) =>
      insert(
        draft,
        () => ",",
        ({ kind }, index) => kind === "comma" || (kind === "key" && index === 1),
      )
        ? "meant"
        : "nothing",
  },
  {
    name: "a missing comma between members",
    apply: (draft) => {
      const places = [...draft.tokens.keys()].filter((index) => {
        const token = draft.tokens[index]
        return token?.kind === "comma" && token.inside === "object"
      })
      const at = pick(draft.random, places)
      const next = draft.tokens[(at ?? -1) + 1]
      if (at === undefined || next === undefined) return "nothing"
      if (!isString(next) && next.gap === "") next.gap = " "
      draft.tokens.splice(at, 1)
      return "meant"
    },
  },
  {
    name: "a missing comma in a list",
    apply: (draft) =>
      remove(
        draft,
        ({ kind, inside }, index) => {
          const next = draft.tokens[index + 1]
          return kind === "comma" && inside === "array" && next !== undefined && next.gap !== ""
        },
        "meant",
      ),
  },
  {
    name: "a missing colon",
    apply: (draft) => remove(draft, ({ kind }) => kind === "colon", "lost"),
  },
  {
    name: "a missing value",
    apply: (draft) =>
      remove(draft, ({ kind, depth, inside }) => /string|scalar/.test(kind) && depth > 1 && inside === "object", "lost"),
  },
  comments("line comments", ({ random }) => ` // ${pick(random, remarks)}\n`),
  comments("block comments", ({ random }) => ` /* ${pick(random, remarks)} */ `),
  comments("hash comments", ({ random }) => ` # ${pick(random, remarks)}\n`),
  {
    name: "Python words",
    season: withFlags,
    apply: ({ tokens }) => {
      const words = tokens.filter(({ kind, text }) => kind === "scalar" && python.has(text))
      for (const token of words) token.text = python.get(token.text) ?? token.text
      return words.length === 0 ? "nothing" : "meant"
    },
  },
  {
    name: "doubled outer braces",
    apply: ({ tokens }) => {
      const ends = [tokens[0], tokens.at(-1)]
      for (const token of ends) if (token) token.text = token.text.repeat(2)
      return "meant"
    },
  },
  {
    name: "doubled braces everywhere",
    apply: ({ tokens }) => {
      for (const token of tokens) if (token.text === "{" || token.text === "}") token.text = token.text.repeat(2)
      return "meant"
    },
  },
  {
    name: "a brace too many at the end",
    apply: ({ tokens, meant }) => {
      tokens.push({ kind: "close", text: "}", gap: "", depth: 1, inside: "object", value: "", quotes: ['"', '"'] })
      return meant.action === "tool" && couldBeCut(meant.args) ? "lost" : "meant"
    },
  },
  {
    name: "a brace too many inside",
    apply: (draft) =>
      insert(
        draft,
        () => "}",
        ({ kind }, index) => kind === "comma" && index > 0,
      )
        ? "lost"
        : "nothing",
  },
  {
    name: "full-width punctuation",
    apply: ({ tokens }) => {
      for (const token of tokens) {
        token.text = wide.get(token.text) ?? token.text
        if (isString(token)) token.quotes = ["＂", "＂"]
      }
      return "meant"
    },
  },
  {
    name: "full-width colons and commas",
    apply: ({ tokens }) => {
      for (const token of tokens)
        if (token.kind === "colon" || token.kind === "comma") token.text = wide.get(token.text) ?? token.text
      return "meant"
    },
  },
  {
    name: "an end in mid-output",
    apply: ({ tokens, random }) => {
      const first = tokens.findIndex(({ kind }) => kind === "colon")
      const at = first + 1 + Math.floor(random() * (tokens.length - first - 2))
      tokens.splice(at)
      const cut = tokens.at(-1)
      if (cut && isString(cut)) cut.quotes = [cut.quotes[0], ""]
      else if (cut?.kind === "scalar") cut.text = cut.text.slice(0, Math.ceil(cut.text.length * random()))
      return "lost"
    },
  },
]
