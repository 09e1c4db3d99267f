import type { Source } from "../source.ts"
import type { NoEvidence } from "./files.ts"

/** Authored files */
export interface AuthoredFileErrors {
  /**
   * A template cannot be parsed or rendered: a directive is not closed, a name has no value, a `${file_load(…)}` finds no file.
   * @remarks Correct the file at the place that the message shows. `promptstrata lint` finds all such places at once.
   */
  readonly template: {
    /** `file-load` where a `${file_load(…)}` could not be followed. */ readonly kind?: "file-load" | undefined
  }
  /**
   * The front matter of a file is no YAML, or has a key that is unknown, missing or of the wrong type.
   * @remarks Correct the key that the message shows.
   */
  readonly "front-matter": {
    /** `duplicate-key` for a key that stands twice. */ readonly kind?: "duplicate-key" | undefined
  }
  /**
   * A prompt file, a dialect, a persona or a character's folder does not exist, or the shipped prompts are not loaded yet.
   * @remarks Compare the name with `known`, and the place with `searched`. Write the file, or name one that exists.
   */
  readonly "prompt-missing": MissingPrompt
  /**
   * A prompt file can be parsed but not used: it has no `${rest}`, it prints text outside a message, or two files have its name.
   * @remarks Correct the file that the message names.
   */
  readonly prompt: {
    /** `rest-slot` for a missing `${rest}`; `two-files` for two files of one name. */
    readonly kind?: "rest-slot" | "two-files" | undefined
  }
  /**
   * An injection has a wrong key, slot or limit, two have one key, or a slot got text where it needs entries.
   * @remarks Correct the layer or plugin that made the injection.
   */
  readonly injection: NoEvidence
  /**
   * A value cannot be written into a prompt, or a text that the library wrote cannot be read back.
   * @remarks Pass plain JSON data. Give the reading functions the exact text that the writing functions returned.
   */
  readonly encoding: {
    /** The line of the transcript that cannot be read, counted from 1. */ readonly line?: number | undefined
  }
  /**
   * A profile is no TOML, has keys that are unknown, of the wrong type or out of bounds, or names a thing that cannot be loaded.
   * @remarks Correct each place that the message lists. docs/profile.md lists every key.
   */
  readonly profile: {
    /** `duplicate-key` for a key or table that stands twice in the TOML. */ readonly kind?: "duplicate-key" | undefined
    /** The mistakes; of a file the first 20. Absent for broken TOML, a wrong `extends` and a tool that `createAgent` does not find. */
    readonly problems?: readonly ProfileMistake[] | undefined
    /** The number of all mistakes of a file, also of those that `problems` leaves out. */ readonly count?: number | undefined
  }
  /** A script of `promptstrata simulate` cannot be read. @remarks Correct the place that the message shows. */
  readonly script: NoEvidence
  /** No profile of that name or path exists. @remarks Compare the name with `known`, and the place with `searched`. */
  readonly "profile-missing": Searched
  /** Skills could not be loaded. @remarks Correct each skill that the message lists, or take it out of the folder. */
  readonly skill: {
    /** The mistakes; the first 20 of them. */ readonly problems: readonly SkillMistake[]
    /** The number of all mistakes, also of those that `problems` leaves out. */ readonly count: number
    /** The names of the skills that could be loaded. */ readonly loaded: readonly string[]
  }
}

/** Budget */
export interface BudgetErrors {
  /**
   * The prompt is larger than the budget even when everything that may be cut is cut.
   * @remarks Raise `[budget]` to `minimumTokens` or more, or shorten the items in `largest`.
   */
  readonly budget: {
    /** The most tokens that the prompt may have. */ readonly budgetTokens: number
    /** The tokens that are left when everything that may be cut is cut. */ readonly minimumTokens: number
    /** The key and the tokens of the largest items, largest first; at most three. */
    readonly largest: readonly { readonly key: string; readonly tokens: number }[]
  }
}

/** Places that were looked at, and names that would have been found. */
export interface Searched {
  /** The paths that were tried, in this order. */ readonly searched?: readonly string[] | undefined
  /** The names that exist. */ readonly known?: readonly string[] | undefined
}

/** A prompt file that was not found. */
export interface MissingPrompt extends Searched {
  /** The path that was asked for. */ readonly path?: string | undefined
  /** The tool whose prompt file is missing. */ readonly tool?: string | undefined
  /** The locale that was asked for, such as `en`. */ readonly locale?: string | undefined
}

/** One mistake in a profile. */
export interface ProfileMistake {
  /** The mistake as one sentence: what was expected and what was found. */ readonly message: string
  /** The file, line and column. */ readonly source?: Source | undefined
}

/** One mistake in a skill. */
export interface SkillMistake {
  /** The mistake as one sentence: what was expected and what was found. */ readonly message: string
  /** The check that found it, such as `front-matter`. */ readonly rule: string
  /** The file, line and column. */ readonly source?: Source | undefined
  /** Advice: how to mend it. */ readonly hint?: string | undefined
}
