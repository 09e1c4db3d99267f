import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { htmlOf } from "../../../../src/apps/server/inspector/page-files.ts"
import type { TurnRecord } from "../../../../src/apps/server/inspector/turn-record.ts"

test("a turn as one file holds scripts and words that look like ends of a script, and its policy names what runs", async () => {
  const record = { question: "</script><script>alert(1)</script><!-- <b>" } as TurnRecord
  const info = { agent: "Fay", colour: undefined, profile: "</title>", locale: "en" }
  const files = { "page.js": 'const end = "</script>" + "</script >"', "page.css": "b > i { color: red }" }
  const html = await htmlOf(record, info, (name) => files[name])
  const scripts = [...html.matchAll(/<script([^>]*)>(.*?)<\/script/gs)].map(([, attributes, text]) => ({ attributes, text }))
  expect(scripts.map(({ attributes }) => attributes)).toEqual([' type="application/json" id="record"', ' type="module"'])
  const [data, script] = scripts.map(({ text = "" }) => text)
  expect(JSON.parse(data ?? "")).toEqual({ info: { agent: "Fay", profile: "</title>", locale: "en" }, record })
  expect(new Function(`${script}; return end`)()).toBe("</script></script >")
  const hash = (text = "") => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
  expect(/ content="([^"]*)">\n<style>([^<]*)<\/style>/.exec(html)?.slice(1)).toEqual([
    [
      ...["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(files["page.css"])}`],
      ...["img-src data:", "base-uri 'none'", "form-action 'none'"],
    ].join("; "),
    files["page.css"],
  ])
  expect(html.split("\n")[0]).toBe("<!doctype html>")
})
