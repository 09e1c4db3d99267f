import { z } from "zod"
import { isLocale } from "../dialect/locales.ts"
import { isColour } from "../profile/check.ts"
import { findTimeZone } from "../tools/builtin/time-zone.ts"
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
import { compressionTable, eventsTable, pulledTable, workspaceTable } from "./profile-virtual-context-tables.ts"
import { weightsTable } from "./profile-weights-table.ts"

const variable = z.union([z.string(), z.boolean(), z.number()], { error: "a string, a number, true or false" })

function isTimeZone(name: string): boolean {
  return findTimeZone(name) !== undefined
}

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
  time_zone: key(text().refine(isTimeZone, { error: 'a time zone such as "Asia/Shanghai"' }), {
    meaning: "In which prompts tell the time of messages.",
    otherwise: "the host's",
  }),
  agent: table("The agent's names.", {
    id: key(line(), { meaning: "Keys the agent's sessions: another id, other conversations.", otherwise: "the profile's name" }),
    name: key(line(), { meaning: "How it is shown in prompts.", otherwise: "the persona's name, else the profile's" }),
    colour: key(text().refine(isColour, { error: 'a colour such as "#1D75B3"' }).meta({ pattern: "^#[0-9a-fA-F]{6}$" }), {
      meaning: "Its colour, for whatever shows the agent.",
      otherwise: "none",
    }),
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
  recall_weights: weightsTable,
  documents: documentsTable,
  files: filesTable,
  events: eventsTable,
  workspace: workspaceTable,
  pulled: pulledTable,
  compression: compressionTable,
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
