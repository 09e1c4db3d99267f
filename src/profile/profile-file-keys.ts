import { type InputOf, line, map, table } from "./key.ts"
import { documents, files, outputInFile } from "./keys/files.ts"
import { authorNote, lorebook } from "./keys/lorebook.ts"
import { mcp } from "./keys/mcp.ts"
import { context, memory, recallWeights } from "./keys/memory.ts"
import { fallbackModel, observers, processesInFile } from "./keys/processes.ts"
import { plugins, prompt, skills } from "./keys/prompt.ts"
import { prestart, toolsInFile } from "./keys/tools.ts"
import { budget, conversation, history, limits, loop, model, prices, retry } from "./keys/turn.ts"
import { compression, events, pulled, workspace } from "./keys/virtual-context.ts"
import { agent, topKeys, user } from "./profile-keys.ts"

/** Every key of a profile's file, in the order of docs/profile.md. Each may be left out: it is inherited, or has its default (L9). */
export const profileFileKeys = table("A profile: everything that makes one agent.", {
  extends: line({
    otherwise: "none",
    words: "Name or path of a profile to inherit from. Tables merge key by key, arrays are replaced.",
  }),
  ...topKeys,
  agent,
  user,
  prompt,
  variables: map<string | boolean | number>(
    { kind: "scalar" },
    {
      expected: "a table",
      otherwise: "none",
      words:
        "Values for prompts: each fills the slot of its name. The name must not be one of the agent's own, such as persona or question.",
    },
  ),
  lorebook,
  authorNote,
  plugins,
  skills,
  output: outputInFile,
  context,
  memory,
  recallWeights,
  documents,
  files,
  events,
  workspace,
  pulled,
  compression,
  tools: toolsInFile,
  processes: processesInFile,
  observers,
  prestart,
  loop,
  limits,
  retry,
  history,
  conversation,
  budget,
  model,
  fallbackModel,
  prices,
  mcp,
})

/** The settings of a profile's file, checked, with camelCase names. */
export type ProfileFile = InputOf<typeof profileFileKeys.keys>
