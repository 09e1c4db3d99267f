// A border of late loading: readers that an answer passes only where `[output]` has `files` or `links`, or the caller bounds it.
export { AnswerLimiter } from "./answer-limiter.ts"
export { createFileReferenceReader } from "./file-reference-reader.ts"
export { linkHosts } from "./link-address.ts"
export { createLinkReader, withoutLinks } from "./link-reader.ts"
