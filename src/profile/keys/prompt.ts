import { flag, line, lines, map, table, wholeNumber } from "../key.ts"
import { defaultDialect } from "../profile-keys.ts"

export const prompt = table("The texts from which prompts are made. Paths are relative to the file in which they stand.", {
  dialect: line({
    default: defaultDialect,
    words: "The layout of prompts: the name of a shipped dialect, or of a folder in your own prompts folder.",
  }),
  folder: line({ words: "Folder of your own prompt files. They replace shipped files of the same name.", otherwise: "none" }),
  persona: line({
    words: "The persona: who the agent is (layer 1). The name of a persona, or a file.",
    otherwise: "none",
  }),
  greeting: wholeNumber({
    min: 1,
    max: 10_000,
    default: 1,
    words: "The number of the greeting that conversations begin with, if the persona is a character card.",
  }),
  scripts: flag({ default: true, words: "With false, the regex scripts of a character card do not run." }),
  format: line({ words: "How the agent writes (layer 2): the name of a format, or a file.", otherwise: "none" }),
  finalSystem: line({ words: "System message of the final output: a file.", otherwise: "none" }),
})

export const plugins = table("Plugins that extend the agent: built-in ones, and modules of your own.", {
  enabled: lines("memory", {
    default: [],
    words:
      'In this order: names of built-in plugins ("character", "diary", "file-navigation", "lorebook", "memory"), paths of modules such as "./plugins/mood.mjs" (relative to this file), names of packages. "diary" and "file-navigation" bring the file tools that their skills use. A profile with this table recalls memories only if it lists "memory".',
  }),
  options: map<Readonly<Record<string, unknown>>>(
    { kind: "json" },
    {
      expected: "a table for each plugin, written [plugins.options.NAME]",
      words:
        'A table for each plugin, passed to it as it is. NAME is what stands in enabled; for a path it may also be the file\'s name without its ending. The options of "character" are in character.md, those of "lorebook" are the keys of [lorebook].',
      otherwise: "none",
    },
  ),
})

export const skills = table("Skills: what the agent knows how to do (layer 3).", {
  enabled: lines("diary", {
    default: [],
    words:
      'Skills by name: shipped ones, and those in `skills` of your prompts folder. A skill brings no tools. Enable those it needs, such as list, read, write and edit for "diary", in [tools].',
  }),
  folders: lines("../skills", {
    default: [],
    words:
      "Folders of skills: Markdown files whose front matter has a name, and folders with a SKILL.md, at any depth. Relative to this file.",
  }),
  modes: map<"inline" | "outline">(
    { kind: "choice", choices: ["inline", "outline"] },
    {
      expected: "a table of modes by the skill's name",
      words:
        '"inline" puts the whole skill into the prompt. "outline" puts only its description there, and where to read it. NAME is the skill\'s name.',
      otherwise: "as each skill says",
    },
  ),
})
