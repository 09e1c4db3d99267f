/** The evidence of an error whose code and message say everything: no fields. */
export type NoEvidence = Readonly<Record<never, never>>
