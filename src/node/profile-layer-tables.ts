import { z } from "zod"
import { profileDefaults } from "../profile/defaults.ts"
import { checkPlainArguments } from "./plain-arguments.ts"
import { bounded, choice, flag, key, line, names, table } from "./profile-fields.ts"

const { context, memory, output, documents, files } = profileDefaults

/** `[prompt]` */
export const promptTable = table("The texts that make the prompt. Paths are relative to the file in which they stand.", {
  dialect: key(line(), {
    meaning: "The layout of prompts: the name of a shipped dialect, or of a folder in your own prompts folder.",
    fallback: profileDefaults.dialect,
  }),
  folder: key(line(), { meaning: "Folder of your own prompt files, laid over the shipped ones.", otherwise: "none" }),
  persona: key(line(), {
    meaning: "Who the agent is (layer 1): the name of a persona, or a file.",
    otherwise: "nobody in particular",
  }),
  format: key(line(), { meaning: "How it writes (layer 2): the name of a format, or a file.", otherwise: "none" }),
  final_system: key(line(), { meaning: "System message of the final output: a file.", otherwise: "none" }),
})

const options = z.record(z.string(), z.record(z.string(), z.unknown(), { error: "a table" }).check(checkPlainArguments), {
  error: "a table for each plugin, written [plugins.options.NAME]",
})

/** `[plugins]` */
export const pluginsTable = table("What extends the agent: built-in plugins, and modules of your own.", {
  enabled: key(names("memory"), {
    meaning:
      'In this order: names of built-in plugins ("character", "diary", "file-navigation", "memory"), paths of modules such as "./plugins/mood.mjs" (relative to this file), names of packages. A profile with this table recalls memories only if it lists "memory".',
    fallback: [],
  }),
  options: key(options, {
    meaning:
      'A table for each plugin, handed to it as it is. NAME is what stands in enabled; for a path also the file\'s name without its ending. Those of "character" are in character.md.',
    otherwise: "none",
  }),
})

/** `[skills]` */
export const skillsTable = table("What the agent knows how to do (layer 3).", {
  enabled: key(names("diary"), {
    meaning:
      'Skills by name: shipped ones, and those in `skills` of your prompts folder. A skill brings no tools: enable those it needs, such as list, read, write and edit for "diary", in [tools].',
    fallback: [],
  }),
  folders: key(names("../skills"), {
    meaning:
      "Folders of skills: Markdown files whose front matter has a name, and folders with a SKILL.md, however deep. Relative to this file.",
    fallback: [],
  }),
  modes: key(z.record(z.string(), choice("inline", "outline"), { error: "a table of modes by the skill's name" }), {
    meaning:
      '"inline" puts a skill whole into the prompt; "outline" only its description and where to read it. NAME is the skill\'s name.',
    otherwise: "as each skill says",
  }),
})

/** `[output]` */
export const outputTable = table("How an answer is read before it is shown.", {
  bubbles: key(flag(), {
    meaning: "Part answers into bubbles at `@br`, and take `<empty_reply>` for silence.",
    fallback: output.bubbles,
  }),
  file_references: key(flag(), {
    meaning:
      "Open files of the folder in [files] that an answer names by `%[path]` or `%[path] Line 3 ~ Line 8`, and hand them over as attachments.",
    otherwise: "false",
  }),
})

/** `[context]` */
export const contextTable = table("What is left of earlier turns' context (layer 5).", {
  older: key(choice("drop", "condense", "keep"), {
    meaning: "What history shows of the memories that an earlier turn recalled: nothing, a short line each, or all of it.",
    fallback: context.older,
  }),
  older_characters: key(bounded("context.olderCharacters"), {
    meaning: 'How long such a line is with "condense".',
    fallback: context.olderCharacters,
  }),
})

/** `[memory]` */
export const memoryTable = table("How memories enter a turn.", {
  enabled: key(flag(), {
    meaning: "False: nothing is recalled.",
    otherwise: 'true; with a `[plugins]` table, whether it lists "memory"',
  }),
  recall_limit: key(bounded("memory.recallLimit"), { meaning: "Memories in a prompt, at most.", fallback: memory.recallLimit }),
  importance_threshold: key(bounded("memory.importanceThreshold"), {
    meaning: "A turn of at least this importance, judged by the model from 0 to 10, is stored.",
    fallback: memory.importanceThreshold,
  }),
  reflect_every: key(bounded("memory.reflectEvery"), {
    meaning: "Look back after so many memories and store insights; 0 for never.",
    fallback: memory.reflectEvery,
  }),
  reflect_importance: key(bounded("memory.reflectImportance"), {
    meaning: "Look back also once the importance of new memories adds up to so much.",
    otherwise: "never",
  }),
  reflect_schedule: key(line(), {
    meaning: 'Look back also with the first turn after each moment of this cron pattern, such as "0 4 * * *", in `time_zone`.',
    otherwise: "never",
  }),
  duplicate_similarity: key(bounded("memory.duplicateSimilarity"), {
    meaning:
      "With an embedding model: from this cosine similarity on, what a speaker says anew takes the place of what they said before, which is kept as history.",
    otherwise: "only the same words are the same",
  }),
  batch_turns: key(bounded("memory.batchTurns"), {
    meaning: "Judge so many turns of a private conversation in one call of the model.",
    fallback: memory.batchTurns,
  }),
  daily_calls: key(bounded("memory.dailyCalls"), {
    meaning: "Calls of the model for one user in 24 hours beside the turns themselves; what is beyond is skipped.",
    otherwise: "no limit",
  }),
  step_ms: key(bounded("memory.stepMs"), { meaning: "How long each step after a turn may take.", fallback: memory.stepMs }),
  profile_characters: key(bounded("memory.profileCharacters"), {
    meaning: "Characters of what a user said of themselves in a prompt, at most.",
    fallback: memory.profileCharacters,
  }),
})

const documentsMeaning =
  'SOUL.md, USER.md and MEMORY.md, read anew every turn. Without this table there are none. Dialect "soul" says what each is and what to do with it; in the others their texts stand without headings, unless your prompts name their slots.'

/** `[documents]` */
export const documentsTable = table(documentsMeaning, {
  folder: key(line(), { meaning: "Where they lie. Relative to this file.", otherwise: "`files.folder`" }),
  placement: key(choice("system", "user"), {
    meaning: "Which message USER.md and MEMORY.md stand in; SOUL.md is in the system message.",
    fallback: documents.placement,
  }),
  max_characters: key(bounded("documents.maxCharacters"), {
    meaning: "A longer document is shown with its middle cut out.",
    fallback: documents.maxCharacters,
  }),
  min_share: key(bounded("documents.minShare"), {
    meaning: "Share of max_characters that each keeps, however few tokens there are.",
    fallback: documents.minShare,
  }),
  nearly_empty_characters: key(bounded("documents.nearlyEmptyCharacters"), {
    meaning: "Below this, USER.md counts as nearly empty.",
    fallback: documents.nearlyEmptyCharacters,
  }),
  near_limit_share: key(bounded("documents.nearLimitShare"), {
    meaning: "Above this share of max_characters, MEMORY.md counts as nearly full.",
    fallback: documents.nearLimitShare,
  }),
})

/** `[files]` */
export const filesTable = table("The folder in which tools read and write files. They see nothing outside it.", {
  folder: key(line(), { meaning: "That folder. Relative to this file.", otherwise: "`workspace` in the data folder" }),
  hard_links: key(choice("allow", "refuse"), {
    meaning: "Whether a file with a second name, which may lie outside the folder, can be opened.",
    fallback: files.hardLinks,
  }),
  formats: key(names("png"), {
    meaning: "Endings, without a dot, of files that an answer can show; what the prompt says as `${supported_formats}`.",
    fallback: files.formats,
  }),
})
