import { PromptStrataError } from "../../../core/errors.ts"
import type { SessionStore } from "../../../memory/services/store/session-store.ts"
import { claim, claimEqual, claimRejects } from "../claims.ts"
import { commitOf, keyOf, type Rules, said, textsOf } from "./samples.ts"

/** Rules of `append`. */
export const appendRules: Rules<SessionStore> = {
  async "appended messages stand at the end of the history, and a turn that runs meanwhile commits behind them"(scene) {
    const { service, group: key } = scene
    await service.append(key, [said("first"), said("second")])
    const begun = await service.load(key)
    claimEqual([begun?.version, textsOf(begun?.history), begun?.state], [0, ["first", "second"], {}], "a session of words alone")
    await service.commit(key, commitOf(0, ["turn"], { state: { kept: true } }))
    await service.append(key, [said("meanwhile")])
    const heard = await service.load(key)
    claimEqual([heard?.version, heard?.state], [1, { kept: true }], "version and state after an append")
    claimEqual(await service.commit(key, commitOf(1, ["late turn"])), { version: 2 }, "the commit of a turn that ran")
    const texts = ["first", "second", "turn", "meanwhile", "late turn"]
    claimEqual(textsOf((await service.load(key))?.history), texts, "the history")
    claimEqual(textsOf(await service.messages(key, { limit: 2 })), ["meanwhile", "late turn"], "the newest messages")
  },
  async "one message that was appended before the first turn stays before it"({ service, group: key }) {
    await service.append(key, [said("heard")])
    await service.commit(key, commitOf(0, ["turn"]))
    claimEqual(textsOf((await service.load(key))?.history), ["heard", "turn"], "the history")
  },
  async "calls that wait at the same time keep their order, each session by itself"({ service, agent }) {
    const keys = ["a", "b", "c"].map((conversation) => keyOf(agent, { conversation, audience: "group" }))
    const texts = Array.from({ length: 20 }, (_, at) => `heard ${at}`)
    await Promise.all(texts.flatMap((text) => keys.map((key) => service.append(key, [said(text)]))))
    for (const key of keys) claimEqual(textsOf((await service.load(key))?.history), texts, `the words of ${key.conversation}`)
  },
  async "commits and appends that race are all kept once, and each commit stands whole"({ service, group: key }) {
    const turns = ["x", "y", "z"].map(async (name) => {
      for (;;) {
        const { version = 0 } = (await service.load(key)) ?? {}
        try {
          return await service.commit(key, commitOf(version, [`${name} asks`, `${name} is told`]))
        } catch (error) {
          if (!PromptStrataError.isInstance(error) || error.code !== "session-conflict") throw error
        }
      }
    })
    const words = Array.from({ length: 15 }, (_, at) => `heard ${at}`)
    await Promise.all([...turns, ...words.map((text) => service.append(key, [said(text)]))])
    const { version, history } = (await service.load(key)) ?? {}
    const texts = textsOf(history)
    claimEqual(version, 3, "a version for each commit")
    claimEqual(
      texts.filter((text) => text.startsWith("heard")),
      words,
      "the appended words",
    )
    for (const name of ["x", "y", "z"])
      claimEqual(texts[texts.indexOf(`${name} asks`) + 1], `${name} is told`, `what follows the question of ${name}`)
    claim(texts.length === words.length + 6, "every message once", texts)
  },
  async "blank messages are kept and not counted, and no messages change nothing"({ service, group: key }) {
    await service.append(key, [])
    claimEqual(await service.load(key), undefined, "a session to which nothing was appended")
    await service.append(key, [said("a"), said(" "), said("b")])
    await service.append(key, [said(""), said("c")])
    const { history, earlier } = (await service.load(key, { last: 1 })) ?? {}
    claimEqual([textsOf(history), earlier], [["c"], 2], "the last message, and those before it that are not blank")
    await service.commit(key, commitOf(0, ["d"]))
    claimEqual((await service.load(key, { last: 0 }))?.earlier, 4, "the count after a commit")
  },
  async "messages that are not plain JSON are refused, and others that wait with them are kept"({ service, group: key }) {
    const broken = said("broken", { prestart: [{ tool: "t", args: { run: () => 1 }, result: "" }] })
    const before = service.append(key, [said("before")])
    await claimRejects(() => service.append(key, [broken]), "usage", "a message with a function")
    await Promise.all([before, service.append(key, [said("behind")])])
    claimEqual(textsOf((await service.load(key))?.history), ["before", "behind"], "the history")
  },
  async "changes to appended messages do not change the store"({ service, group: key }) {
    const messages = [said("kept")]
    const appending = service.append(key, messages)
    messages.push(said("late"))
    await appending
    claimEqual(textsOf((await service.load(key))?.history), ["kept"], "the history")
  },
}
