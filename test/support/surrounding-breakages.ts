import { type Breakage, pick } from "./breakage.ts"

const decoy = '{"action":"finish","message":"NO"}'
const decoyCall = '{"action":"tool","tool":"NO","args":{"NO":"NO"}}'

type Wrap = (text: string, random: () => number) => string

/** A breakage that puts something around each written object; `random` chooses the same for all of them. */
function aroundObject(name: string, wrap: Wrap): Breakage {
  return {
    name,
    apply: (draft) => {
      const share = draft.random()
      draft.aroundObject.push((text) => wrap(text, () => share))
      return "meant"
    },
  }
}

/** A breakage that puts something around the whole output. */
function around(name: string, wrap: Wrap): Breakage {
  return {
    name,
    apply: (draft) => {
      draft.around.push((text) => wrap(text, draft.random))
      return "meant"
    },
  }
}

function twoObjects(name: string, separators: readonly string[]): Breakage {
  return {
    name,
    apply: (draft) => {
      draft.second = { separator: pick(draft.random, separators), text: pick(draft.random, [decoy, decoyCall]) }
      return "meant"
    },
  }
}

/** Ways to put the object somewhere it was not asked for. */
export const surroundingBreakages: readonly Breakage[] = [
  aroundObject("written as a string", (text) => JSON.stringify(text)),
  aroundObject("a wrapper object", (text, random) =>
    pick(random, [
      `{"decision":${text}}`,
      `{"response": {"result": ${text}}}`,
      `{"thought":"I'll look it up","next":${text}}`,
      `{\n  "output": ${text},\n  "confidence": 0.9\n}`,
    ]),
  ),
  around("an array around it", (text, random) => pick(random, [`[${text}]`, `[\n${text}\n]`, `[ ${text}, ]`])),
  twoObjects("two objects in a row", ["\n", "", " ", "\n\n"]),
  twoObjects("two objects with a comma", [",", ", ", ",\n"]),
  around("prose before", (text, random) =>
    pick(random, [
      `好的，我来查一下：\n${text}`,
      `Sure! Here's the JSON: ${text}`,
      `The user asks for {x}, so:\n\n${text}`,
      `I'll use "search" next. ${text}`,
    ]),
  ),
  {
    name: "prose after",
    apply: ({ around: wraps, isOpenEnded, random }) => {
      const prose = ["\n\nLet me know if that's right!", "\n完成。", '\nNote that "x" is optional.', " I hope this helps."]
      wraps.push((text) => text + pick(random, isOpenEnded ? prose.slice(0, 3) : prose))
      return "meant"
    },
  },
  around("a fence", (text, random) =>
    pick(random, [`\`\`\`json\n${text}\n\`\`\``, `\`\`\`\n${text}\n\`\`\`\n`, `~~~json\n${text}\n~~~`]),
  ),
  around("an unclosed fence", (text) => `\`\`\`json\n${text}\n`),
  around("a fence in prose", (text, random) =>
    pick(random, [`Here you go:\n\`\`\`json\n${text}\n\`\`\`\nAnything else?`, `如下：\n\`\`\`\n${text}\n\`\`\`\n以上。`]),
  ),
]
