import type { Position } from "../core/source.ts"
import type { Dialect } from "../dialect/dialect.ts"
import type { PromptSource } from "../dialect/prompt-source.ts"
import type { Profile } from "../profile/profile.ts"
import type { Template } from "../template/ast.ts"
import type { TurnTrace } from "../trace/trace.ts"
import type { LintSeverity } from "./problem.ts"

/** What an authored file is, by where it stands. `other`: a file in a prompts folder that no part of the library looks for there. */
export type LintFileKind = "profile" | "prompt" | "tool" | "persona" | "character" | "format" | "final" | "skill" | "other"

/** What went wrong when a file was read, located; which rule reports it. */
export interface LintFault {
  readonly rule:
    | "profile"
    | "duplicate-key"
    | "front-matter"
    | "unreadable-file"
    | "template-syntax"
    | "file-load"
    | "rest-slot"
    | "skill"
  /** Default `error`. */
  readonly severity?: LintSeverity
  readonly message: string
  readonly file: string
  readonly position: Position
  readonly hint?: string
}

/** One authored file, read once. */
export interface LintFile {
  readonly kind: LintFileKind
  /** As messages show it. */
  readonly file: string
  /** Where it is, for whoever writes it. */
  readonly path: string
  /** As it is on disk, with its byte order mark and its line breaks; `""` where it cannot be read. */
  readonly text: string
  /** The prompts folder it stands in, as messages show it; `""` for a profile. */
  readonly root: string
  /** The first folder inside the prompts folder: a dialect, `shared`, `tools`, `characters`, … */
  readonly folder: string
  /** The folder of its locale, where there is one. */
  readonly locale?: string
  /** Without folder and ending; of a `SKILL.md` its folder's. */
  readonly name: string
  /** True for the files that come with the library. */
  readonly shipped: boolean
  /** Front matter and body, where they could be read. */
  readonly source?: PromptSource
  /** The compiled body of a prompt or a tool's words; what could not be parsed is literal text in it. */
  readonly template?: Template
  /** Files that its `file_load`s brought, as messages show them. */
  readonly loads: readonly string[]
  readonly faults: readonly LintFault[]
}

/** One profile file of a chain, for places in it. */
export interface LintDocument {
  readonly file: string
  readonly data: Readonly<Record<string, unknown>>
  /** Where a key stands, or the nearest table around it. */
  locate(path: readonly PropertyKey[]): Position
}

/** A profile in one locale. */
export interface LintProfile {
  /** The file as messages show it. */
  readonly file: string
  readonly locale: string
  /** False for one that was only read to know what it uses. */
  readonly linted: boolean
  /** The file itself and what it extends, nearest first; empty where they cannot be read. */
  readonly documents: readonly LintDocument[]
  /** The whole profile, where it loads. */
  readonly profile?: Profile
  /** Its dialect, compiled, where the profile loads. */
  readonly dialect?: Dialect
  /** Files it names, as messages show them: persona, format, final system text, skills. */
  readonly uses: readonly string[]
  /** The prompts folder laid over its dialect, as messages show it. */
  readonly promptFolder?: string
  readonly faults: readonly LintFault[]
}

/** Everything that rules look at. */
export interface LintContext {
  readonly files: readonly LintFile[]
  readonly profiles: readonly LintProfile[]
  /** The slots and conditions of the shipped prompt files, by file name without folder and ending. */
  readonly shippedNames: ReadonlyMap<string, ReadonlySet<string>>
  /** Turns that were run, for what only running shows. */
  readonly traces: readonly TurnTrace[]
}
