import { profileJsonSchema } from "../node/profile-json-schema.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"

/** Prints the JSON Schema of profiles, for editors. Resolves to the exit code. */
export async function schema({ io }: CliContext): Promise<number> {
  io.stdout.write(`${JSON.stringify(profileJsonSchema(), null, 2)}\n`)
  return exitCodes.ok
}
