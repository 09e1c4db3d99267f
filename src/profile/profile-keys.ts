import type { TrustedText } from "../core/value.ts"
import type { Plugin } from "../memory/services/plugin.ts"
import type { Dialect } from "../prompt/dialect/dialect.ts"
import type { Skill } from "../prompt/layers/skills.ts"
import { colourForm, filled, inCode, line, localeForm, nameForm, table, timeZoneForm } from "./key.ts"
import { documents, files, output } from "./keys/files.ts"
import { mcp } from "./keys/mcp.ts"
import { context, memory, recallWeights } from "./keys/memory.ts"
import { fallbackModel, observers, processes } from "./keys/processes.ts"
import { prestart, tools } from "./keys/tools.ts"
import { budget, conversation, history, limits, loop, model, prices, retry } from "./keys/turn.ts"

/** The dialect of a profile that names none. */
export const defaultDialect = "layered"

/** Keys of a profile that stand outside of tables, in code and in files alike. */
export const topKeys = {
  locale: line({
    form: localeForm,
    default: "en",
    otherwise: "the environment's",
    words: "Language of the prompts, such as en or zh-CN. It chooses among the prompts of a dialect.",
  }),
  timeZone: line({
    form: timeZoneForm,
    otherwise: "the host's",
    words: "The time zone in which prompts tell times, by its IANA name.",
  }),
}

export const agent = table("The agent's names.", {
  id: filled(
    line({
      form: nameForm,
      otherwise: "the profile's name",
      words: "The agent's conversations and memories are kept under this id. Under a new id it has none of them.",
    }),
  ),
  name: filled(
    line({ form: nameForm, otherwise: "the persona's name, else the profile's", words: "The name that prompts show." }),
  ),
  colour: line({
    form: colourForm,
    otherwise: "`colour` of the persona's front matter, else none",
    words: "The agent's colour: of its name and emotions at a terminal, and for programs that show the agent.",
  }),
})

export const user = table("The user's name and description.", {
  name: filled(
    line({
      form: nameForm,
      otherwise: "`user` of the persona's front matter, else User (用户 in Chinese)",
      words: "The name of the user that prompts show in a private conversation. In a group each message has its own speaker.",
    }),
  ),
  description: line({
    form: { expected: "text that is not blank", pattern: String.raw`\S` },
    otherwise: "none",
    words: "Who the user is for the character: the text of the slot `user_persona`. No macros are filled in.",
  }),
})

const final = table("How the final output is asked for.", {
  system: inCode<TrustedText, "optional", string | TrustedText>(
    "System message of the final output, for the slot `final_system`. By default there is none (T3).",
  ),
})

/** Every key of a profile in code. */
export const profileKeys = table("A profile: everything that makes one agent.", {
  name: line({ form: nameForm, default: "default", words: "The profile's name. A file's name is the profile's." }),
  ...topKeys,
  dialect: inCode<Dialect | string, "filled">("A shipped dialect's name, or a compiled one.", defaultDialect),
  agent,
  user,
  persona: inCode<TrustedText, "filled", string | TrustedText>(
    "The persona, who the agent is: the whole text of the slot `persona` (L3). A blank text means that there is none.",
    { text: "", trust: "author" },
  ),
  greeting: inCode<string, "optional">(
    "The agent's first message of a conversation, as a character card brings one. The program says it: `session.hear` with the agent's id keeps it.",
  ),
  greetings: inCode<readonly string[]>(
    "All greetings of a character card: any of them can begin a conversation in the place of `greeting`.",
  ),
  format: inCode<TrustedText, "optional", string | TrustedText>(
    "How the agent writes: the whole text of the slot `format` (L4).",
  ),
  variables: inCode<Readonly<Record<string, string | boolean | TrustedText>>, "filled">(
    "Named values for prompts: each fills the slot of its name.",
    {},
  ),
  skills: inCode<readonly Skill[], "filled">("The skills of the agent, layer 3, in no particular order (L5).", []),
  plugins: inCode<readonly Plugin[], "filled">(
    "Plugins extend the agent (L10). Their tools, skills, hooks and formats come after the profile's own.",
    [],
  ),
  context,
  output,
  documents,
  files,
  loop,
  limits,
  history,
  conversation,
  budget,
  tools,
  processes,
  observers,
  prestart,
  model,
  fallbackModel,
  prices,
  retry,
  memory,
  recallWeights,
  mcp,
  final,
})
