import { z } from "zod"
import { isLocale } from "../dialect/locales.ts"
import { key, line, table, text } from "./profile-fields.ts"
import {
  contextTable,
  documentsTable,
  filesTable,
  memoryTable,
  outputTable,
  pluginsTable,
  promptTable,
  skillsTable,
} from "./profile-layer-tables.ts"
import { mcpTable } from "./profile-mcp-table.ts"
import {
  budgetTable,
  historyTable,
  limitsTable,
  loopTable,
  modelTable,
  prestartTable,
  retryTable,
  toolsTable,
} from "./profile-turn-tables.ts"

const variable = z.union([z.string(), z.boolean(), z.number()], { error: "a string, a number, true or false" })

/** The whole file; every key is optional, as a profile may inherit it or leave it to the defaults (L9). */
export const profileFileSchema = table("A profile: everything that makes one agent.", {
  extends: key(line(), {
    meaning: "Name or path of a profile to inherit from. Tables merge key by key, arrays are replaced.",
    otherwise: "none",
  }),
  locale: key(text().refine(isLocale, { error: 'a locale such as "en" or "zh-CN"' }), {
    meaning: "Language of the prompts, such as en or zh-CN.",
    otherwise: "the environment's",
  }),
  agent: table("The agent's names.", {
    id: key(line(), { meaning: "Keys the agent's sessions: another id, other conversations.", otherwise: "the profile's name" }),
    name: key(line(), { meaning: "How it is shown in prompts.", otherwise: "the persona's name, else the profile's" }),
  }),
  user: table("The user's name.", {
    name: key(line(), { meaning: "How the user is shown in prompts.", otherwise: "as the persona says" }),
  }),
  prompt: promptTable,
  variables: key(z.record(z.string(), variable, { error: "a table" }), {
    meaning:
      "Values for prompts: each fills the slot of its name, which is none of the agent's own, such as persona or question.",
    otherwise: "none",
  }),
  plugins: pluginsTable,
  skills: skillsTable,
  output: outputTable,
  context: contextTable,
  memory: memoryTable,
  documents: documentsTable,
  files: filesTable,
  tools: toolsTable,
  prestart: key(z.array(prestartTable, { error: "an array of tables, written [[prestart]]" }), {
    meaning: "Tools that run before the first plan, side by side.",
    otherwise: "none",
  }),
  loop: loopTable,
  limits: limitsTable,
  retry: retryTable,
  history: historyTable,
  budget: budgetTable,
  model: modelTable,
  mcp: mcpTable,
})

/** A profile file's data, checked. */
export type ProfileFile = z.infer<typeof profileFileSchema>
