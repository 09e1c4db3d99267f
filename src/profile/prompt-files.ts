import type { Profile } from "./profile.ts"

/** A file that the prompts of a profile come from. */
export interface SourceFile {
  /** Its name, as the sources of spans have it. */
  readonly path: string
  /** Its use: `profile`, `persona`, `format`, `skill`, `prompt` or another. */
  readonly kind: string
  /** True for a file of the package. It is never written: a copy of it takes its place. */
  readonly isShipped: boolean
  /** The file that a save writes. Absent if it cannot be saved. */
  readonly savedAs?: string | undefined
  /** The reason why it cannot be saved. */
  readonly refusal?: string | undefined
}

/** A file with its text. */
export interface PromptText {
  readonly text: string
  /** Tells if the file changed meanwhile. */
  readonly hash: string
  /** True if the last change of the file was a save or an undo here, so that it can be undone. */
  readonly canUndo: boolean
}

/** The outcome of a save or an undo. */
export interface SavedPrompt {
  /** The file that the text comes from now: it has another name than before if a copy was made or taken away. */
  readonly path: string
  /** Everything that was written. */
  readonly written: readonly string[]
}

/** A change to how a profile is loaded. */
export interface ProfileChange {
  /** Another profile's name or path. */
  readonly profile?: string | undefined
  readonly dialect?: string | undefined
  /** Texts in place of those on the disk, by the path of a {@link SourceFile}. */
  readonly files?: Readonly<Record<string, string>> | undefined
}

/**
 * The files of a profile, to be edited. Only files that the profile reads can be named. Writes are atomic, and recorded so that they can
 * be undone also after a restart. Calls reject with errors of this library: `file-missing` for another file, `file-conflict` if the file
 * changed since it was read, and others whose code begins with `file`.
 */
export interface PromptFiles {
  list(): Promise<readonly SourceFile[]>
  read(path: string): Promise<PromptText>
  /** `hash` is that of the text which was read. A shipped file is copied into the prompts folder, which the profile then names. */
  save(path: string, text: string, options: { readonly hash: string }): Promise<SavedPrompt>
  /** Takes back the last save of a file, byte for byte. After that it takes back the undo. */
  undo(path: string): Promise<SavedPrompt>
  /** Loads the profile with a change. Nothing is written. Rejects as `loadProfile` does. */
  load(change: ProfileChange): Promise<Profile>
}
