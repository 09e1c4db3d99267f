// Reads a card in a process of its own, and prints how far its peak of memory rose above what it had: node read-measured.ts FILE
import { readFileSync, writeFileSync } from "node:fs"
import { readCard } from "../../../src/node/cards/card-file.ts"

const kilobytes = (field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))?.[1])

const bytes = readFileSync(process.argv[2] ?? "")
// What is loaded and compiled once is no part of the measure, nor are pages of Node's own program that are first touched here.
readCard(Buffer.from('{"name":"warm","character_book":{"entries":[{"keys":["a"],"content":"b"}]}}'))
// The kernel forgets the peak so far.
writeFileSync("/proc/self/clear_refs", "5")
const before = kilobytes("VmRSS")
const programBefore = kilobytes("RssFile")
let outcome = "read"
try {
  readCard(bytes)
} catch (thrown) {
  outcome = thrown instanceof Error ? thrown.message : String(thrown)
}
const risenBytes = (kilobytes("VmHWM") - before - (kilobytes("RssFile") - programBefore)) * 1024
console.log(JSON.stringify({ outcome, risenBytes }))
