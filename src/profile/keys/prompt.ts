import { flag, line, lines, map, table, wholeNumber } from "../key.ts"
import { defaultDialect } from "../profile-keys.ts"

export const prompt = table({
  dialect: line({ default: defaultDialect }),
  folder: line(),
  persona: line(),
  greeting: wholeNumber({ min: 1, max: 10_000, default: 1 }),
  scripts: flag({ default: true }),
  format: line(),
  finalSystem: line(),
})

export const plugins = table({
  enabled: lines("memory", { default: [] }),
  options: map<Readonly<Record<string, unknown>>>(
    { kind: "json" },
    {
      expected: "a table for each plugin, written [plugins.options.NAME]",
    },
  ),
})

export const skills = table({
  enabled: lines("diary", { default: [] }),
  folders: lines("../skills", { default: [] }),
  modes: map<"inline" | "outline">(
    { kind: "choice", choices: ["inline", "outline"] },
    {
      expected: "a table of modes by the skill's name",
    },
  ),
})
