import type { Contestant, Count } from "./contestant.ts"

type Piece = { readonly ctor: unknown; readonly props: unknown; readonly children: readonly unknown[] }
type Message = { readonly content: readonly { readonly text?: string }[] }

/** @vscode/prompt-tsx: a tree with priorities, of which the lowest are pruned until the whole fits. */
export async function promptTsx(version: string): Promise<Contestant> {
  const tsx = await import("@vscode/prompt-tsx")
  const fragment = (globalThis as { readonly vscppf?: unknown }).vscppf
  const textOf = ({ content }: Message) => content.map(({ text = "" }) => text).join("")
  const element = (ctor: unknown, props: object, ...children: readonly unknown[]): Piece => ({
    ctor,
    props,
    children: children.flat(),
  })
  const render = async (root: () => Piece, budgetTokens: number, count: Count): Promise<string> => {
    class Root extends tsx.PromptElement {
      render() {
        return root()
      }
    }
    const tokenizer = {
      mode: tsx.OutputMode.Raw,
      tokenLength: (part: { readonly text?: string }) => count(part.text ?? ""),
      countMessageTokens: (message: Message) => count(textOf(message)),
    }
    const { messages } = await new tsx.PromptRenderer({ modelMaxPromptTokens: budgetTokens }, Root, {}, tokenizer).render()
    return (messages as Message[]).map(textOf).join("\n\n")
  }
  return {
    name: "@vscode/prompt-tsx",
    version,
    makeBlocks:
      ({ count }) =>
      (given, budgetTokens) =>
        render(
          () =>
            element(
              tsx.UserMessage,
              {},
              given.map(({ text, rank }) => element(tsx.TextChunk, { priority: rank }, `${text}\n\n`)),
            ),
          budgetTokens,
          count,
        ),
    makeChat:
      ({ system, lines, budgetTokens }, { count }) =>
      (turn) =>
        render(
          () =>
            element(
              fragment,
              {},
              element(tsx.SystemMessage, { priority: 1_000_000 }, system),
              lines
                .slice(0, turn * 2 + 1)
                .map(({ role, text }, at) =>
                  element(role === "user" ? tsx.UserMessage : tsx.AssistantMessage, { priority: at }, text),
                ),
            ),
          budgetTokens,
          count,
        ),
  }
}
