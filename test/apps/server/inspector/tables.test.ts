import { describe, expect, test } from "vitest"
import { guardedPath } from "../../../../src/apps/server/inspector/inspector.ts"
import { eventOf } from "../../../../src/apps/server/inspector/recorded-event.ts"
import { contextChanges } from "../../../../src/apps/server/inspector/timeline/context-changes.ts"
import type { TurnEvent } from "../../../../src/trace/turn-event.ts"

describe("an event in a record", () => {
  test.each<[string, object, object]>([
    ["step-start", { step: 2, prompt: "planner" }, { id: "2", name: "planner" }],
    ["step-end", { step: 2 }, { id: "2" }],
    ["step-end", { step: 2, error: "boom" }, { id: "2", text: "boom" }],
    ["prestart-start", { id: "p", tool: "clock" }, { id: "p", name: "clock" }],
    ["tool-start", { id: "c", tool: "search" }, { id: "c", name: "search" }],
    ["tool-progress", { id: "c", tool: "search" }, { id: "c", name: "search" }],
    ["prestart-end", { run: { id: "p", tool: "clock", status: "failed" } }, { id: "p", name: "clock", text: "failed" }],
    ["tool-end", { run: { id: "c", tool: "search", status: "done" } }, { id: "c", name: "search" }],
    ["confirm-start", { id: "c", request: { tool: "drop" } }, { id: "c", name: "drop" }],
    ["confirm-end", { id: "c", request: { tool: "drop" } }, { id: "c", name: "drop" }],
    ["child", { id: "c", name: "kid", event: { type: "tool-start" } }, { id: "c", name: "kid", text: "tool-start" }],
    ["retry", { model: "m", reason: "busy" }, { name: "m", text: "busy" }],
    ["warning", { warning: { kind: "k", message: "w" } }, { name: "k", text: "w" }],
    ["emotion", { emotion: "glad" }, { name: "glad" }],
    ["output-event", { name: "n" }, { name: "n" }],
    ["bubble", { text: "four" }, { characters: 4 }],
    ["turn-start", { colour: "red" }, {}],
  ])("%s %j", (type, fields, kept) => {
    expect(eventOf({ type, ...fields } as unknown as TurnEvent, 7)).toEqual({ type, atMs: 7, ...kept })
  })
})

describe("the changes of a virtual context, area by area", () => {
  const moment = (atMs: number) => ({ atMs, turn: 0 })
  const file = (id: string, text: string, atMs = 0) => {
    return { id, kind: "file", text, stability: 1, added: moment(0), recalled: moment(atMs) }
  }
  const event = (id: string, text: string, atMs = 0) => {
    return { id, text, grain: "day", stability: 1, added: moment(0), recalled: moment(atMs), atMs: 0, stamp: "2026-01-02" }
  }
  const pulled = (id: string, text: string, atMs = 0) => ({ id, text, pulled: moment(atMs), stability: 1 })
  const compressed = (turnId: string, text: string, shown: boolean) => ({ turnId, text, shown })
  const state = (areas: object) => ({ version: 1, ended: [], workspace: [], events: [], pulled: [], compressed: [], ...areas })

  test("things come, change, come up again and go; first those before the turn, then those by its tools", () => {
    const before = state({
      workspace: [file("gone", "g"), file("kept", "k"), file("used", "u"), file("changed", "c")],
      events: [event("day", "d")],
      pulled: [pulled("p", "x")],
      compressed: [compressed("t1", "short", false), compressed("t2", "s", true)],
    })
    const begun = state({ ...before, workspace: [file("kept", "k"), file("used", "u", 5), file("changed", "new", 5)] })
    const after = state({
      ...begun,
      events: [event("day", "d", 5), event("next", "n")],
      pulled: [pulled("p", "x", 5)],
      compressed: [compressed("t1", "short", true), compressed("t2", "s", true)],
    })
    const brief = contextChanges({ before, begun, after }).changes.map(
      ({ by, area, change, id, text, grain }) => `${by} ${area} ${change} ${id} ${text} ${grain ?? "-"}`,
    )
    expect(brief).toEqual([
      "background workspace went gone g -",
      "background workspace used used u -",
      "background workspace changed changed new -",
      "model events used day d day",
      "model events came next n day",
      "model pulled used p x -",
      "model compressed shown t1 short -",
    ])
    // Without a first request all of them were there before.
    const late = contextChanges({ before, begun: undefined, after })
    expect(late.changes.map(({ by }) => by)).toEqual(Array(late.changes.length).fill("background"))
    expect(late).toMatchObject({ lost: 0 })
  })

  test("300 changes, and texts of 300 characters, are kept whole", () => {
    const many = (count: number) =>
      state({ workspace: Array.from({ length: count }, (_, at) => file(String(at), "t".repeat(300))) })
    for (const count of [300, 301]) {
      const { changes, lost } = contextChanges({ before: undefined, begun: state({}), after: many(count) })
      expect([changes.length, lost, changes[0]?.text, changes[0]?.by]).toEqual([300, count - 300, "t".repeat(300), "model"])
    }
  })
})

describe("the guard of the inspector", () => {
  const guard = { token: "secret", hosts: ["box.test"] }
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") => {
    try {
      return guardedPath(new Request(`http://localhost:80${path}`, { method, headers: { host: "localhost", ...headers } }), guard)
    } catch (error) {
      return `${(error as { status: number }).status} ${(error as { param: string | null }).param}`
    }
  }

  test.each<[string, Record<string, string>, string, string]>([
    ["/secret/api/turns", {}, "GET", "api/turns"],
    ["/any/where/secret/", {}, "GET", ""],
    ["/secret", {}, "GET", ""],
    ["/secre", {}, "GET", "404 null"],
    ["/secretx/api", {}, "GET", "404 null"],
    ["/Secret/api", {}, "GET", "404 null"],
    ["/xecret/api", {}, "GET", "404 null"],
    ["/secrex/api", {}, "GET", "404 null"],
    ["/secret/", { origin: "http://localhost" }, "POST", ""],
    ["/secret/", { origin: "http://evil.test" }, "POST", "403 origin"],
    ["/secret/", { origin: "null" }, "POST", "403 origin"],
    ["/secret/", { "sec-fetch-site": "same-origin" }, "POST", ""],
    ["/secret/", { "sec-fetch-site": "none" }, "GET", ""],
    ["/secret/", { "sec-fetch-site": "cross-site" }, "GET", "403 sec-fetch-site"],
    ["/secret/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }, "GET", ""],
    ["/secret/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }, "POST", "403 sec-fetch-site"],
    ["/secret/", { host: "box.test:8080" }, "GET", ""],
    ["/secret/", { host: "BOX.test" }, "GET", ""],
    ["/secret/", { host: "evil.test" }, "GET", "403 host"],
    ["/secret/", { host: "127.0.0.1:1" }, "GET", ""],
  ])("%s with %j by %s gives %j", (path, headers, method, found) => {
    expect(ask(path, headers, method)).toBe(found)
  })
})
