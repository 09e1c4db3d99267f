/** What every command takes. */
export interface CommonOptions {
  /** A profile's name or path. */
  readonly profile: string
  readonly locale?: string
  /** Where tools keep their files; made when one is first written. */
  readonly dataDir: string
  /** Print where an error was thrown. */
  readonly debug: boolean
}
