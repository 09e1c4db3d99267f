import { type Clock, hostPorts, type Ports } from "../../core/ports.ts"
import type { ModelChooser } from "./choose-model.ts"
import type { Interrupts } from "./interrupts.ts"
import type { CliIo, Screen } from "./io.ts"

/** Everything that a command works with. */
export interface CliContext {
  readonly io: CliIo
  readonly screen: Screen
  readonly interrupts: Interrupts
  readonly chooseModel: ModelChooser
  /** Registers a function that runs when the program ends, however it ends; the last registered runs first. */
  readonly atEnd: (close: () => Promise<void>) => void
  /** Replaced by tests. */
  readonly ports?: Partial<Ports>
}

/** The clock of the ports, else the host's. */
export function clockOf({ ports }: CliContext): Clock {
  return ports?.clock ?? hostPorts.clock
}

/** How the error of a command is reported. */
export interface ErrorOptions {
  /** With the stack. */
  readonly debug?: boolean | undefined
  /** On stdout, as a line of JSON. */
  readonly json?: boolean | undefined
}

/** Runs a command, which resolves to its exit code, and reports its error. */
export type RunCommand = (command: (context: CliContext) => Promise<number>, errors: ErrorOptions) => Promise<void>
