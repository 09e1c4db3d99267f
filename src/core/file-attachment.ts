/** A file that an answer shows (R8), for whoever delivers the answer. Plain JSON. */
export interface FileAttachment {
  /** As it is spelled in the workspace. */
  readonly path: string
  /** Such as `image/png`, by its ending. */
  readonly mediaType: string
  /** Bytes of `base64`. */
  readonly bytes: number
  /** What it holds; of a reference with lines, those lines in UTF-8. */
  readonly base64: string
  /** The lines that were asked for, counted from 1. */
  readonly lines?: { readonly from: number; readonly to: number }
}
