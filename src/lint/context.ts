import type { Position } from "../core/source.ts"
import type { Profile } from "../profile/profile.ts"
import type { Dialect } from "../prompt/dialect/dialect.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import type { Template } from "../prompt/template/ast.ts"
import type { TurnTrace } from "../trace/trace.ts"

/** `error`: it does not load, or does not do what its author meant. `warning`: it works, but probably not as meant. */
export type LintSeverity = "error" | "warning"

/** The kind of an authored file, known from its place. `other`: a file in a prompts folder that no part of the library reads. */
export type LintFileKind = "profile" | "prompt" | "tool" | "persona" | "character" | "format" | "final" | "skill" | "other"

/** A mistake that was found while a file was read, and the rule that reports it. */
export interface LintFault {
  readonly rule:
    | "profile"
    | "guessed"
    | "duplicate-key"
    | "front-matter"
    | "unreadable-file"
    | "template-syntax"
    | "file-load"
    | "rest-slot"
    | "skill"
    | "card"
  /** Default `error`. */
  readonly severity?: LintSeverity
  readonly message: string
  readonly file: string
  readonly position: Position
  readonly hint?: string | undefined
}

/** One authored file, read once. */
export interface LintFile {
  readonly kind: LintFileKind
  /** The path as messages show it. */
  readonly file: string
  /** The path on disk, for writing fixes. */
  readonly path: string
  /** The text as it is on disk, with its byte order mark and its line breaks; `""` if it cannot be read. */
  readonly text: string
  /** The prompts folder that it is in, as messages show it; `""` for a profile. */
  readonly root: string
  /** The first folder inside the prompts folder: a dialect, `shared`, `tools`, `characters`, … */
  readonly folder: string
  /** The name of its locale's folder, if it is in one. */
  readonly locale?: string | undefined
  /** The name without folder and ending; for a `SKILL.md` the name of its folder. */
  readonly name: string
  /** True for a file that comes with the library. */
  readonly shipped: boolean
  /** Front matter and body, if they could be read. */
  readonly source?: PromptSource | undefined
  /** The compiled body of a prompt or of a tool's words. Mistakes in it became literal text. */
  readonly template?: Template | undefined
  /** The files that its `${file_load(…)}` loaded, as messages show them. */
  readonly loads: readonly string[]
  readonly faults: readonly LintFault[]
}

/** One file of a profile: the profile's own, or one that it extends. */
export interface LintDocument {
  readonly file: string
  readonly data: Readonly<Record<string, unknown>>
  /** The position of a key; of the nearest table around it if the file has no such key. */
  locate(path: readonly PropertyKey[]): Position
}

/** A profile in one locale. */
export interface LintProfile {
  /** The file as messages show it. */
  readonly file: string
  readonly locale: string
  /** False for a profile that was read only to know which files it uses. */
  readonly linted: boolean
  /** The file itself and the files that it extends, nearest first; empty if they cannot be read. */
  readonly documents: readonly LintDocument[]
  /** The whole profile; absent if it does not load. */
  readonly profile?: Profile
  /** Its compiled dialect; absent if the profile does not load. */
  readonly dialect?: Dialect
  /** The files that it names, as messages show them: persona, format, final system text, skills. */
  readonly uses: readonly string[]
  /** The prompts folder whose files replace those of its dialect, as messages show it. */
  readonly promptFolder?: string | undefined
  readonly faults: readonly LintFault[]
}

/** Everything that rules look at: authored files and profiles, read once. */
export interface LintContext {
  readonly files: readonly LintFile[]
  readonly profiles: readonly LintProfile[]
  /** The slots and conditions of the shipped prompt files, by file name without folder and ending. */
  readonly shippedNames: ReadonlyMap<string, ReadonlySet<string>>
  /** Recorded turns, for the rules about running times and results. */
  readonly traces: readonly TurnTrace[]
}
