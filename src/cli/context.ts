import type { Ports } from "../core/ports.ts"
import type { ModelChooser } from "./choose-model.ts"
import type { Interrupts } from "./interrupts.ts"
import type { CliIo } from "./io.ts"
import type { Screen } from "./screen.ts"

/** What every command works with. */
export interface CliContext {
  readonly io: CliIo
  readonly screen: Screen
  readonly interrupts: Interrupts
  readonly chooseModel: ModelChooser
  /** Runs when the program ends, however it does; the latest first. */
  readonly atEnd: (close: () => Promise<void>) => void
  /** For tests. */
  readonly ports?: Partial<Ports>
}
