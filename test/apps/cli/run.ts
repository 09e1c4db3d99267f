import { type CliOverrides, runCli } from "../../../src/apps/cli/run-cli.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { countingIds, manualClock } from "../../../src/testing/index.ts"
import { root } from "../../support/source-files.ts"
import { type FakeTerminal, fakeTerminal } from "../../support/terminal.ts"

/** A profile without prestart, in English, with `calculate`. */
export const plainProfile = `${root}test/apps/cli/profiles/plain.toml`

/** A run of the program in this process. */
export interface StartedRun extends FakeTerminal {
  readonly code: Promise<number>
}

/** Settings of {@link start}. */
export interface StartOptions {
  /** Replaces the model that the environment would choose. */
  readonly model?: LanguageModel
  /** True for a terminal. Default: pipes. */
  readonly terminal?: boolean
  /** The width of the terminal. Default: 80. */
  readonly columns?: number
  /** By default nothing is stored. */
  readonly env?: Readonly<Record<string, string>>
  /** The store's clock and timers. Default: those of the machine. */
  readonly storeTime?: CliOverrides["storeTime"]
  /** Written to stdin, which then ends. */
  readonly input?: string
}

/** Starts the program in this process, with a stopped clock and counting ids. */
export function start(args: readonly string[], options: StartOptions = {}): StartedRun {
  const { model, terminal = false, columns = 80, env = {}, storeTime, input } = options
  const fake = fakeTerminal({ terminal, columns, env: { PROMPTSTRATA_STORE: "none", LANG: "en_US.UTF-8", ...env } })
  const code = runCli(args, fake.io, {
    ports: { clock: manualClock(), ids: countingIds() },
    ...(storeTime ? { storeTime } : {}),
    ...(model ? { chooseModel: () => ({ model, demo: false }) } : {}),
  })
  if (input !== undefined) {
    fake.type(input)
    fake.end()
  }
  return { ...fake, code }
}

/** Runs the program in this process to its end. */
export async function run(args: readonly string[], options: StartOptions = {}) {
  const { code, written } = start(args, options)
  return { code: await code, ...written }
}
