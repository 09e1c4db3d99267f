import type { Command } from "commander"
import { profileJsonSchema } from "../../../node/profile/profile-json-schema.ts"
import type { RunCommand } from "../context.ts"
import { exitCodes } from "../io.ts"

/** Adds the command `schema`. */
export function add(program: Command, run: RunCommand): void {
  program
    .command("schema")
    .description("Print the JSON Schema of a profile's TOML file. With it, editors complete and check profiles.")
    .action(() =>
      run(async ({ io }) => {
        io.stdout.write(`${JSON.stringify(profileJsonSchema(), null, 2)}\n`)
        return exitCodes.ok
      }, {}),
    )
}
