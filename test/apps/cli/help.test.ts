import type { Command } from "commander"
import { expect, test } from "vitest"
import { createProgram } from "../../../src/apps/cli/run-cli.ts"

const stream = { write: () => true, columns: 100 } as never

function helpOf(command: Command): readonly string[] {
  return [command.helpInformation(), ...command.commands.flatMap(helpOf)]
}

test("the help of every command", async () => {
  const program = await createProgram({ stdout: stream, stderr: stream } as never, () => Promise.resolve())
  expect(helpOf(program).join("\n")).toMatchSnapshot()
})

test("the list of commands is the same while their code is not loaded", async () => {
  const help = async (argv?: readonly string[]) =>
    (await createProgram({ stdout: stream, stderr: stream } as never, () => Promise.resolve(), { argv })).helpInformation()
  expect(await help([])).toBe(await help())
})
