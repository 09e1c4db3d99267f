import type { TrustedText } from "../core/value.ts"
import type { Plugin } from "../memory/services/plugin.ts"
import type { Dialect } from "../prompt/dialect/dialect.ts"
import type { Skill } from "../prompt/layers/skills.ts"
import { colourForm, filled, inCode, line, localeForm, nameForm, table, textForm, timeZoneForm } from "./key.ts"
import { documents, files, output } from "./keys/files.ts"
import { mcp } from "./keys/mcp.ts"
import { context, memory, recallWeights } from "./keys/memory.ts"
import { historyTables, loopTables, modelTables, processes, retry, tools, watchTables } from "./keys/turn.ts"

/** The dialect of a profile that names none. */
export const defaultDialect = "layered"

/** Keys of a profile that stand outside of tables, in code and in files alike. */
export const topKeys = {
  locale: line({ form: localeForm, default: "en" }),
  timeZone: line({ form: timeZoneForm }),
}

export const agent = table({
  id: filled(line({ form: nameForm })),
  name: filled(line({ form: nameForm })),
  colour: line({ form: colourForm }),
})

export const user = table({
  name: filled(line({ form: nameForm })),
  description: line({ form: textForm }),
})

const final = table({ system: inCode<TrustedText, "optional", string | TrustedText>() })

/** Every key of a profile in code. */
export const profileKeys = table({
  name: line({ form: nameForm, default: "default" }),
  ...topKeys,
  dialect: inCode<Dialect | string, "filled">(defaultDialect),
  agent,
  user,
  persona: inCode<TrustedText, "filled", string | TrustedText>({ text: "", trust: "author" }),
  greeting: inCode<string, "optional">(),
  greetings: inCode<readonly string[]>(),
  format: inCode<TrustedText, "optional", string | TrustedText>(),
  variables: inCode<Readonly<Record<string, string | boolean | TrustedText>>, "filled">({}),
  skills: inCode<readonly Skill[], "filled">([]),
  plugins: inCode<readonly Plugin[], "filled">([]),
  context,
  output,
  documents,
  files,
  ...loopTables,
  ...historyTables,
  tools,
  processes,
  ...watchTables,
  ...modelTables,
  retry,
  memory,
  recallWeights,
  mcp,
  final,
})
