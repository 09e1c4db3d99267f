// Beyond this border is what a turn needs once it has or calls a tool, remembers, has hooks, marks its session, or shows a file or an old result.
export { withSessionMarkers } from "../../../prompt/dialect/session-markers.ts"
export { toolParameters } from "../../../prompt/tools/print-parameters.ts"
export { fitOldRuns, oldRunBounds, withFittedArguments, withOldRunsTold } from "../fit-tool-text.ts"
export { gather, readSpeakers } from "../prepare.ts"
export { runCall } from "../run-call.ts"
export { runTool } from "../run-tool.ts"
export { fewerAndFewer, nameOld, readMadeFile, sightOf, warnOfUnseen, withBytes } from "../shown-attachments.ts"
