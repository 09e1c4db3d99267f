import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { said, turnState } from "../../support/turns.ts"
import type { Contestant } from "./contestant.ts"

const where = { dialect: "layered", prompt: "chat" } as const

/** This library, with provenance, decisions and an exact count, which it always makes. */
export function ours(version: string): Contestant {
  return {
    name: "promptstrata",
    version,
    makeBlocks:
      ({ counter }) =>
      (given, budgetTokens) => {
        const stack = new PromptStack(given.map(({ key, text, rank }) => ({ key, content: text, fit: { rank, shrink: "drop" } })))
        return textOf(assemble(stack, { ...where, counter, budgetTokens }))
      },
    makeChat({ system, lines, budgetTokens }, { counter }) {
      const stack = new PromptStack([{ key: "persona", content: system, scope: "global" }])
      const history = lines.map(({ role, text }) => said(role, text))
      return (turn) => {
        const state = turnState(lines[turn * 2]?.text ?? "", { history: history.slice(0, turn * 2) })
        return textOf(assemble(stack, { ...where, turn: state, counter, budgetTokens }))
      }
    },
    makeTemplate({ source, values }) {
      const template = parseTemplate(source)
      return () => renderTemplate(template, values)
    },
  }
}

function textOf({ messages }: ReturnType<typeof assemble>): string {
  return messages.map(({ content }) => content).join("\n\n")
}
