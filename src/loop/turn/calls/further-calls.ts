// Beyond this border is what a turn needs whose calls are to be read from JSON, that is controlled, or that goes on after an approval.
export { controlStep } from "../control/control-step.ts"
export { resumeStep, takeRuns } from "../open-turn/resume-step.ts"
export { runCallOfAnswer, runPlannedCall, withAction } from "./calls-in-json.ts"
export { readNativeArguments } from "./native-arguments.ts"
