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
export const profileFileKeys = table({
  extends: line(),
  ...topKeys,
  agent,
  user,
  prompt,
  variables: map<string | boolean | number>(
    { kind: "scalar" },
    {
      expected: "a table",
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
