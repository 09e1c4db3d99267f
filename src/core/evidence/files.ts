/** Files */
export interface FileErrors {
  /**
   * A file could not be read or written, or is not of the expected form.
   * @remarks Follow the message. It says what is wrong, such as a missing right or a full disk.
   */
  readonly file: FailedFile
  /**
   * A file, folder or recorded change does not exist.
   * @remarks Check the path. Paths of a workspace are relative to its folder.
   */
  readonly "file-missing": MissingFile
  /** A path has a form that is not allowed, or leads to a hidden file. @remarks Write it like `notes/today.md`. */
  readonly "file-path": BadPath
  /** A path leads out of the workspace. @remarks Use a path inside it, or open the workspace on a higher folder. */
  readonly "file-outside": AtPath
  /**
   * The path leads to a folder, a link or a device in place of a file, or to a file in place of a folder.
   * @remarks Use the path of a plain file.
   */
  readonly "file-kind": WrongKindOfFile
  /** A file or folder is over a limit. @remarks Split it, or raise `maxFileBytes`. */
  readonly "file-size": FileSize
  /**
   * A file is not UTF-8 text, or a text to write contains half a character or a NUL. Nothing was written.
   * @remarks Save the file as UTF-8; leave the character out.
   */
  readonly "file-encoding": BadText
  /** A file changed since the caller read it. Nothing was written. @remarks Read it again and repeat the change. */
  readonly "file-conflict": FileHashes
  /**
   * A file keeps changing while it is read, or another process holds the workspace's lock.
   * @remarks Try again; look for a process that hangs.
   */
  readonly "file-busy": SystemRefusal
}

/** A file of a workspace. */
interface AtPath {
  /** Relative to the workspace; `.` for the workspace itself. */ readonly path?: string | undefined
}

/** A refusal by the operating system. */
interface SystemRefusal extends AtPath {
  /** The operation that failed: `read`, `write`, `lock` and so on. */ readonly operation?: string | undefined
  /** The system's code, such as `EACCES`. */ readonly code?: string | undefined
  /** The system call, such as `open`. */ readonly call?: string | undefined
}

/** A file that could not be read, written or used. */
interface FailedFile extends SystemRefusal {
  /** The folders in which prompt files may be; the path leads out of them. */ readonly roots?: readonly string[] | undefined
}

/** A file that does not exist. */
interface MissingFile extends SystemRefusal {
  /** The id of the change to undo that the history does not have. */ readonly id?: string | undefined
}

/** Something that is not a plain file or not a folder. */
interface WrongKindOfFile extends SystemRefusal {
  /** The kind of thing that is there. */ readonly kind?: "folder" | "link" | "special" | "hard-link" | undefined
  /** The number of names of the file if it has several (hard links). */ readonly links?: number | undefined
}

/** A path that cannot be used. */
interface BadPath extends AtPath {
  /** The names in the folder that differ only in letters that count as equal. */ readonly alike?: readonly string[] | undefined
}

/** A file that is too large. */
interface FileSize extends AtPath {
  /** The size that was found. */ readonly sizeBytes?: number | undefined
  /** The largest size that is allowed. */ readonly maxBytes?: number | undefined
}

/** A text that is not UTF-8, or cannot be written as UTF-8. */
interface BadText extends AtPath {
  /** In a file that was read: the bytes before the first bad byte. */ readonly offsetBytes?: number | undefined
  /** In a text to write: the characters before the first bad one. */ readonly characterIndex?: number | undefined
}

/** A file that is not as the caller last saw it. */
interface FileHashes extends AtPath {
  /** SHA-256 of the content that the caller had read, in hexadecimal; absent for a file that should be new. */
  readonly expectedHash?: string | undefined
  /** SHA-256 of the content that is there, in hexadecimal; absent where there is no file. */
  readonly foundHash?: string | undefined
}

/** The evidence of an error whose code and message say everything: no fields. */
export type NoEvidence = Readonly<Record<never, never>>
