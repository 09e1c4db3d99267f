import { didYouMean } from "../core/suggest.ts"
import { builtinToolNames } from "./builtin-tools.ts"
import { nearestWith } from "./profile-chain.ts"
import { type ProfileSearch, report } from "./profile-search.ts"

/** Reports names in `[tools] enabled` that no built-in tool has. */
export function checkEnabledTools(search: ProfileSearch): void {
  const document = nearestWith(search.chain, "tools", "enabled")
  for (const [at, name] of (document?.data.tools?.enabled ?? []).entries()) {
    if (document === undefined || builtinToolNames.includes(name)) continue
    const message = `expected a built-in tool (${builtinToolNames.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, builtinToolNames)}`
    report(
      search,
      { document, path: ["tools", "enabled", at] },
      { message, note: "Tools of your own are passed to createAgent and need no name here." },
    )
  }
}
