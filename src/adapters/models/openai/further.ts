// Beyond this border is what a request needs that fails or has pictures and files, and an answer with a recording.
export { ConnectionError } from "../fault.ts"
export { asModelError, failure, reportedError, waitBefore } from "./failures.ts"
export { recordingOf, userContent, withResultParts } from "./media.ts"
