import type { Assembly } from "../../../../src/core/span.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { shippedDialect } from "../../../../src/prompt/dialect/shipped.ts"
import {
  type DocumentSettings,
  type DocumentState,
  type Documents,
  defaultDocumentSettings,
} from "../../../../src/prompt/layers/documents/document.ts"
import { documentInjections } from "../../../../src/prompt/layers/documents/document-injections.ts"
import type { TurnState } from "../../../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import type { Template } from "../../../../src/prompt/template/ast.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../../../src/prompt/tools/tool.ts"
import { turnState } from "../../../support/turns.ts"
import { perCodePoint } from "../../assemble/arbitrary-turn.ts"

/** A document that was read. */
export function read(text: string): DocumentState {
  return { state: "read", text }
}

export const missing: DocumentState = { state: "missing" }
export const unreadable: DocumentState = { state: "unreadable" }

/** The marker at the place where a document was cut. */
export function markerOf(locale: string): Template {
  const file = shippedDialect("soul", locale).files.get("document-truncated")
  if (!file) throw new Error("document-truncated.md is missing")
  return file.template
}

/** The file tools as the prompt lists them. */
export const fileTools: readonly Tool[] = (
  [
    ["read", "读取文件内容"],
    ["write", "创建或覆盖文件"],
    ["edit", "精确文本查找替换"],
  ] as const
).map(([name, description]) => defineTool({ name, description, execute: () => "" }))

/** Options of {@link soulPrompt}. */
export interface SoulPromptOptions {
  readonly settings?: Partial<DocumentSettings>
  readonly prompt?: string
  readonly locale?: string
  readonly turn?: Partial<TurnState>
  readonly budgetTokens?: number
  /** The persona of the profile. */
  readonly persona?: string
}

/** A prompt of the dialect `soul` with documents. Without `user` and `memory`, the memory is off. Each code point counts as a token. */
export function soulPrompt(
  documents: Documents,
  { settings, prompt = "native", locale = "zh-CN", turn, budgetTokens, persona = "" }: SoulPromptOptions = {},
): Assembly {
  const memoryOn = documents.memory !== undefined
  const { injections } = documentInjections(documents, {
    settings: { ...defaultDocumentSettings, ...settings },
    marker: markerOf(locale),
    canRead: true,
    countTokens: (text) => perCodePoint.count(text),
  })
  return assemble(new PromptStack([...injections, { key: "persona", content: persona, scope: "global" }]), {
    dialect: "soul",
    locale,
    prompt,
    turn: turnState("你好", { memoryOn, tools: memoryOn ? fileTools : fileTools.slice(0, 1), ...turn }),
    counter: perCodePoint,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  })
}

/** The system message. */
export function systemOf({ messages }: Assembly): string {
  return messages[0]?.role === "system" ? messages[0].content : ""
}
