import type { Command } from "commander"
import { type Clock, hostPorts, type Ports } from "../../core/ports.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import type { ModelChooser } from "./choose-model.ts"
import type { Interrupts } from "./interrupts.ts"
import type { CliIo, Screen } from "./io.ts"
import { type AddedOptions, addCommonOptions, addProfileArgument, type CommonOptions } from "./options.ts"
import type { Translate } from "./words/translate.ts"

/** Everything that a command works with. */
export interface CliContext {
  readonly io: CliIo
  readonly screen: Screen
  readonly interrupts: Interrupts
  readonly chooseModel: ModelChooser
  /** Errors and warnings in the reader's language. */
  readonly translate: Translate
  /** Registers a function that runs when the program ends, however it ends; the last registered runs first. */
  readonly atEnd: (close: () => Promise<void>) => void
  /** Replaced by tests. */
  readonly ports?: Partial<Ports>
  /** The time of the store in a file; replaced by tests in which reminders ring. */
  readonly storeTime?: Pick<Ports, "clock" | "timers">
}

/** Prints notes, such as warnings: dimmed, safe for a terminal, in the reader's language. */
export function notesOn({ screen, translate }: Pick<CliContext, "screen" | "translate">): (text: string) => void {
  return (text) => screen.note(screen.paint("dim", terminalText(translate(text))))
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

/** Runs a command with a profile, which is its argument, and with the common options. */
export function runWithProfile<Options extends CommonOptions>(
  command: Command,
  run: RunCommand,
  work: (options: Options, context: CliContext) => Promise<number>,
  { store, shipped = "layered" }: Pick<AddedOptions, "store"> & { readonly shipped?: string },
): void {
  addProfileArgument(command, shipped)
  addCommonOptions(command, { store }).action((profile: string | undefined, given: Options) =>
    run((context) => work({ ...given, profile }, context), given),
  )
}
