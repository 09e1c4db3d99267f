import type { Source } from "../../core/source.ts"

/** The encoders a prompt file can name: `${text | fence}`. */
export type EncoderName = "lines" | "inline" | "tail" | "fence" | "indent" | "transcript" | "speaker"

/** The roles a prompt file can open a message with: `${role(user)}`. */
export type TemplateRole = "system" | "developer" | "user" | "assistant"

/**
 * A parsed template: literal text, slots, conditionals and directives. A source names the file that the characters came
 * from, also through `file_load`.
 */
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
  readonly encoder?: EncoderName | undefined
  /** A template that is printed where the value is absent or empty. */
  readonly placeholder?: readonly TemplateNode[] | undefined
  /** True when the value is certain to have its lines of the output to itself, whatever stands beside it. */
  readonly alone: boolean
  readonly source: Source
}

/** `${name? then : otherwise}`. The branches are dedented and trimmed. */
export interface ConditionalNode {
  readonly type: "conditional"
  readonly name: string
  readonly then: readonly TemplateNode[]
  readonly otherwise: readonly TemplateNode[]
  /** True when nothing else can stand on the conditional's first and last line of the output. */
  readonly alone: boolean
  readonly source: Source
}

/** A compiled template, made by {@link parseTemplate}. */
export interface Template {
  readonly file: string
  readonly nodes: readonly TemplateNode[]
  /** Names that `renderTemplate` may find absent without an error. */
  readonly optional: ReadonlySet<string>
}

/** Puts a conditional together with its two branches. */
export function withBranches(
  node: Omit<ConditionalNode, "then" | "otherwise">,
  branches: { readonly whenHeld: readonly TemplateNode[]; readonly otherwise: readonly TemplateNode[] },
): ConditionalNode {
  // biome-ignore lint/suspicious/noThenProperty: a list cannot be called, so no promise takes the node for one
  return { ...node, then: branches.whenHeld, otherwise: branches.otherwise }
}

/** Applies `change` to each list of nodes inside the node: its branches, or its placeholder. */
export function mapBranches(
  node: ConditionalNode | SlotNode,
  change: (nodes: readonly TemplateNode[]) => readonly TemplateNode[],
): ConditionalNode | SlotNode {
  if (node.type === "conditional") return withBranches(node, { whenHeld: change(node.then), otherwise: change(node.otherwise) })
  return node.placeholder ? { ...node, placeholder: change(node.placeholder) } : node
}
