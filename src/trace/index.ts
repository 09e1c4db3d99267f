// What a request was made of, and how two requests differ

export {
  type AssemblyDifference,
  type ChangedSpan,
  type DivergencePoint,
  diffAssemblies,
  type Excerpt,
} from "./diff-assemblies.ts"
export { printAssembly } from "./print-assembly.ts"
export { printTrace } from "./print-trace.ts"
