import type { Position, Source } from "../core/source.ts"
import type { Profile } from "../profile/profile.ts"
import type { Dialect } from "../prompt/dialect/dialect.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import type { Template } from "../prompt/template/ast.ts"
import type { TurnTrace } from "../trace/trace.ts"

/** One thing that `lint` looks for. A rule is pure: it gets the files as data and reads nothing. */
export interface LintRule {
  readonly name: string
  /** One sentence, for the list of rules. */
  readonly description: string
  check(context: LintContext): LintProblem[]
}

/** Makes a rule of a function that finds problems, and adds the rule's name to each of them. */
export function lintRule(name: string, description: string, find: (context: LintContext) => Iterable<LintFinding>): LintRule {
  return { name, description, check: (context) => Array.from(find(context), (finding) => ({ rule: name, ...finding })) }
}

/** A rule that looks at each file of one kind by itself. */
export function fileRule(
  kind: LintFileKind,
  name: string,
  description: string,
  find: (file: LintFile) => LintFinding[],
): LintRule {
  return lintRule(name, description, ({ files }) => files.filter((file) => file.kind === kind).flatMap(find))
}

/** A rule that looks at each profile that is linted by itself. */
export function profileRule(
  name: string,
  description: string,
  find: (profile: LintProfile, context: LintContext) => LintFinding[],
): LintRule {
  return lintRule(name, description, (context) =>
    context.profiles.filter(({ linted }) => linted).flatMap((profile) => find(profile, context)),
  )
}

/** A problem before the name of its rule is added. */
export type LintFinding = Omit<LintProblem, "rule">

/** The position of a part of a template. */
export function placeOf({ line, column = 1 }: Source): Position {
  return { line, column }
}

/** A finding about a file. Without details it is a warning at the file's beginning. */
export function finding(file: string, message: string, details: Partial<LintFinding> = {}): LintFinding {
  return { severity: "warning", message, file, line: 1, column: 1, ...details }
}

/** A change of a file's text: the text from `start` to `end` (UTF-16 offsets into the file as it is on disk) becomes `text`. */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string }

/** Something that a rule found in an authored file, as data. */
export interface LintProblem {
  readonly rule: string
  readonly severity: LintSeverity
  /** One sentence: what was expected and what was found. */
  readonly message: string
  /** The file as messages show it. */
  readonly file: string
  /** 1-based, as is the column, which counts code points. */
  readonly line: number
  readonly column: number
  /** The column after its last character, on the same line. */
  readonly endColumn?: number | undefined
  /** Advice on how to mend it. */
  readonly hint?: string | undefined
  /** Edits that mend it without changing what the file means. */
  readonly fix?: readonly TextEdit[] | undefined
}

/** Applies the fixes of a file's problems to its text. Of two edits that overlap only the first is applied. */
export function applyFixes(text: string, problems: readonly Pick<LintProblem, "fix">[]): string {
  const edits = problems
    .flatMap(({ fix = [] }) => fix)
    .filter(({ start, end }) => start >= 0 && start <= end && end <= text.length)
    .sort((a, b) => a.start - b.start || a.end - b.end)
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: replacement } of edits) {
    if (start < at) continue
    parts.push(text.slice(at, start), replacement)
    at = end
  }
  return parts.join("") + text.slice(at)
}

/** `error`: it does not load, or does not do what its author meant. `warning`: it works, but probably not as meant. */
export type LintSeverity = "error" | "warning"

/** The kind of an authored file, known from its place. `other`: a file in a prompts folder that no part of the library reads. */
export type LintFileKind = "profile" | "prompt" | "tool" | "persona" | "character" | "format" | "final" | "skill" | "other"

/** The rules for mistakes that are found while files are read, each with its description. */
export const faultRules = {
  profile: "A profile that does not load: unknown keys, wrong values, files, tools or plugins that are not there.",
  guessed:
    "A profile of your own that leaves its language or the name of its agent to be guessed, or what becomes of an earlier USER.md.",
  "duplicate-key": "A key that stands twice in a profile or in front matter.",
  "front-matter": "Front matter that is no YAML, or has keys and values that its kind of file does not know.",
  "unreadable-file": "A file that is no UTF-8 text, is too large or is a folder.",
  "template-syntax": "Every mistake in the ${} language of a file.",
  "file-load": "A ${file_load(…)} that finds no file, leads outside or runs in a circle.",
  "rest-slot": "A prompt without ${rest}: injections without a slot of their own would be lost.",
  skill: "A skill that does not load, or breaks a limit of the open Agent Skills standard.",
  card: "Anything in the files of an imported card that its author may not have meant.",
  sprite: "Pictures of a character that are not shown, and emotions without one.",
} as const

/** A mistake that was found while a file was read, and the rule that reports it. */
export interface LintFault {
  readonly rule: keyof typeof faultRules
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
