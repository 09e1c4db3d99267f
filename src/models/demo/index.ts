export { demoModel } from "./demo-model.ts"
