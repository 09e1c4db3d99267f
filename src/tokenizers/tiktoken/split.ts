/**
 * Where the piece that begins at `at` ends, in UTF-16 offsets of a well-formed text; `at` is before the text's end.
 * Looks at nothing before `at`. Its work is bounded by the run of like characters it is in, so splitting is linear.
 */
export type Split = (text: string, at: number) => number
