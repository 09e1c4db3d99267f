// Beyond this border is what a turn needs once it calls a tool, shows a file or an old result, goes on after an approval, or is controlled.
export { resumeStep } from "../approval/resume-step.ts"
export { controlStep } from "../control/control-step.ts"
export { fitOldRuns, oldRunBounds, withFittedArguments, withOldRunsTold } from "../fit-tool-text.ts"
export { runCall } from "../run-call.ts"
export { runTool } from "../run-tool.ts"
export { fewerAndFewer, nameOld, readMadeFile, sightOf, warnOfUnseen, withBytes } from "../shown-attachments.ts"
export { runCallOfAnswer, runPlannedCall, withAction } from "./calls-in-json.ts"
