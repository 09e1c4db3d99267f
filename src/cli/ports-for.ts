import type { Ports } from "../core/ports.ts"
import type { Profile } from "../profile/profile.ts"
import { tiktokenCounter } from "../tokenizers/tiktoken/tiktoken-counter.ts"
import { defaultModel } from "./choose-model.ts"
import type { CliContext } from "./context.ts"

/** What an agent of the command line runs with: tokens are those of the model that is talked to, of none those of the default one. */
export async function portsFor(profile: Profile, { io, ports }: Pick<CliContext, "io" | "ports">): Promise<Partial<Ports>> {
  const named = io.env.PROMPTSTRATA_MODEL?.trim()
  const model = (named === "demo" ? undefined : named) || profile.model.id || defaultModel
  return { counter: await tiktokenCounter({ model }), ...ports }
}
