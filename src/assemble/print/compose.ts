import type { Injection } from "../../core/value.ts"
import type { Dialect } from "../../dialect/dialect.ts"
import { promptFile } from "../../dialect/render-notice.ts"
import { walk } from "../../template/walk.ts"
import type { Draft } from "../draft/draft.ts"
import { landing } from "./landing.ts"
import { PromptPrinter } from "./prompt-printer.ts"

/** What composing takes beside the injections. */
export interface ComposeOptions {
  readonly dialect: Dialect
  /** A prompt file of the dialect: `planner`, `final`, `chat`. */
  readonly prompt: string
  /** True when the model has a developer role; else developer items fold into the system message (S8). */
  readonly developerRole?: boolean
}

/** Puts injections into a prompt's slots. Pure; nothing is cleaned, counted or cut here. */
export function compose(injections: readonly Injection[], { dialect, prompt, developerRole = false }: ComposeOptions): Draft {
  const file = promptFile(dialect, prompt)
  const printer = new PromptPrinter(dialect, { injections, landing: landing(injections, file, { developerRole }), developerRole })
  walk(file.template.nodes, printer.writer, printer)
  return printer.draft()
}
