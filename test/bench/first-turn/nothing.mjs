// What each process costs before it does anything, with the types that are taken out of the shared part.
import "node:sqlite"
import "../day/parts.ts"
import { tellCpu } from "./tell-cpu.mjs"

tellCpu("")
