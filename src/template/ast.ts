import type { Source } from "../core/source.ts"

/** The encoders a prompt file can name: `${text | fence}`. */
export type EncoderName = "lines" | "inline" | "fence" | "indent" | "transcript" | "speaker"

/** The roles a prompt file can open a message with: `${role(user)}`. */
export type TemplateRole = "system" | "developer" | "user" | "assistant"

/** A parsed template: literal text and what stands between it. Sources name the file the characters came from, also through `file_load`. */
export type TemplateNode =
  | { readonly type: "literal"; readonly text: string; readonly source: Source }
  | SlotNode
  | ConditionalNode
  | { readonly type: "role"; readonly role: TemplateRole; readonly source: Source }
  | { readonly type: "messages"; readonly name: string; readonly source: Source }

/** `${name}`, `${name | encoder}`, `${name = placeholder}`. */
export interface SlotNode {
  readonly type: "slot"
  readonly name: string
  readonly encoder?: EncoderName
  /** Printed where the value is absent or empty; itself a template. */
  readonly placeholder?: readonly TemplateNode[]
  /** True when the value is certain to have its lines of the output to itself, whatever its neighbours hold. */
  readonly alone: boolean
  readonly source: Source
}

/** `${name? then : otherwise}`; branches arrive dedented and trimmed. */
export interface ConditionalNode {
  readonly type: "conditional"
  readonly name: string
  readonly then: readonly TemplateNode[]
  readonly otherwise: readonly TemplateNode[]
  /** True when nothing else can stand on the conditional's first and last line of the output. */
  readonly alone: boolean
  readonly source: Source
}

/** A compiled template; made by {@link parseTemplate}. */
export interface Template {
  readonly file: string
  readonly nodes: readonly TemplateNode[]
  /** Names that may be absent without an error in `renderTemplate`. */
  readonly optional: ReadonlySet<string>
}
