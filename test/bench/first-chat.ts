import { chatOf, freshCounter, tiktoken } from "./assemble-work.ts"
import { cpuMs } from "./measure.ts"
import * as work from "./workloads.ts"

/** Chats of 200 turns, the first ones of this process: CPU milliseconds of each, of the floor or of ours, as JSON. */
const [who, chats] = process.argv.slice(2)
const ms: number[] = []
for (let index = 0; index < Number(chats); index++) {
  const [{ chat, turn }, { counter }, known] = [chatOf(), freshCounter(), work.remembering(tiktoken.count)]
  const prompt = (at: number) => (who === "floor" ? work.chatFloor(chat, at, known) : turn(at, counter))
  ms.push(
    await cpuMs(() => {
      for (let at = 0; at < chat.turns; at++) prompt(at)
    }),
  )
}
console.log(JSON.stringify(ms))
