import { describe, expect, test, vi } from "vitest"
import { messageOf, PromptStrataError } from "../../../src/core/errors.ts"
import { secretFinder } from "../../../src/core/secrets/find-secrets.ts"
import { redactText } from "../../../src/core/secrets/redact.ts"
import { defineTool } from "../../../src/index.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { logError } from "../../../src/trace/log-error.ts"
import { printTrace } from "../../../src/trace/print-trace.ts"
import { callTool, testAgent } from "../../support/agents.ts"

const mixed = (length: number) => "aB3dE5gH7jK9mN2pQ4rS6tV8wX1yZ0".repeat(8).slice(0, length)
const hex = (length: number) => "0a1b2c3d4e5f60718293a4b5c6d7e8f9".repeat(4).slice(0, length)
const upper = (length: number) => mixed(length).toUpperCase()
const pem = (kind: string, head = "") =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${head}${mixed(64)}\n${mixed(20)}==\n-----END ${kind}PRIVATE KEY-----`

/** A text with a secret for each kind of credential, and the secret. They are put together here, so that no scanner of sources stops. */
const credentials: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  OpenAI: [`key sk-proj-${mixed(40)}.`, mixed(40)],
  Anthropic: [`key sk-ant-api03-${mixed(40)} `, mixed(40)],
  "a key of Google": [`?key=AIza${mixed(35)}`, mixed(35)],
  "a token of Google": [`token ya29.${mixed(60)}`, mixed(60)],
  "a client of Google": [`"client":"GOCSPX-${mixed(28)}"`, mixed(28)],
  "Hugging Face": [`hf_${mixed(34)}`, mixed(34)],
  Groq: [`gsk_${mixed(50)}`, mixed(50)],
  xAI: [`xai-${mixed(70)}`, mixed(70)],
  Telegram: [`GET https://api.telegram.org/bot123456789:AA${mixed(33)}/getMe failed`, mixed(33)],
  Discord: [`login with M${mixed(25)}.${mixed(6)}.${mixed(38)} failed`, mixed(38)],
  "a webhook of Discord": [`https://discord.com/api/webhooks/123456789012345678/${mixed(68)}`, mixed(68)],
  Slack: [`xoxb-1234567890-${mixed(24)}`, mixed(24)],
  "an app of Slack": [`xapp-1-A01-${mixed(40)}`, mixed(40)],
  "a webhook of Slack": [`https://hooks.slack.com/services/T00000000/B00000000/${mixed(24)}`, mixed(24)],
  "an id of AWS": [`The key AKIA${upper(16)} is not valid.`, upper(16)],
  "a passing id of AWS": [`ASIA${upper(16)}`, upper(16)],
  "a secret of AWS": [`aws_secret_access_key = ${mixed(40)}`, mixed(40)],
  "storage of Azure": [`AccountName=a;AccountKey=${mixed(86)}==;EndpointSuffix=core`, mixed(86)],
  "an application of Azure": [`AADSTS7000215: a1b8Q~${mixed(34)} is wrong`, mixed(34)],
  "a signed address of Azure": [`https://a.blob/x?sv=2024&sig=${mixed(43)}%3D&se=1`, mixed(43)],
  GitHub: [`ghp_${mixed(36)}`, mixed(36)],
  "GitHub, fine-grained": [`github_pat_${mixed(82)}`, mixed(82)],
  GitLab: [`glpat-${mixed(20)}`, mixed(20)],
  Stripe: [`sk_live_${mixed(24)}`, mixed(24)],
  "a webhook of Stripe": [`whsec_${mixed(32)}`, mixed(32)],
  npm: [`//registry/:_authToken=npm_${mixed(36)}`, mixed(36)],
  PyPI: [`pypi-AgEI${mixed(60)}`, mixed(60)],
  SendGrid: [`SG.${mixed(22)}.${mixed(43)}`, mixed(43)],
  Twilio: [`SK${hex(32)}`, hex(32)],
  Shopify: [`shpat_${hex(32)}`, hex(32)],
  DigitalOcean: [`dop_v1_${hex(64)}`, hex(64)],
  Databricks: [`dapi${hex(32)}`, hex(32)],
  "HashiCorp Vault": [`hvs.${mixed(90)}`, mixed(90)],
  "a JSON web token": [`eyJ${mixed(33)}.eyJ${mixed(50)}.${mixed(43)}`, mixed(43)],
  "a private key": [pem("RSA "), mixed(64)],
  "an encrypted private key": [pem("", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n"), mixed(64)],
  "a private key of SSH": [pem("OPENSSH "), mixed(64)],
  "a private key in a service account": [JSON.stringify({ private_key: pem("") }), mixed(64)],
  "a header with a token": [`Authorization: Bearer ${mixed(30)}`, mixed(30)],
  "a header with a key": [`Ocp-Apim-Subscription-Key: ${hex(32)}`, hex(32)],
  PostgreSQL: ["postgresql://ann:hunter2!x@db.example/app", "hunter2!x"],
  MongoDB: ["mongodb+srv://ann:hunter2%21x@c.example/app", "hunter2%21x"],
  Redis: ["redis://:hunter2!x@db.example:6379", "hunter2!x"],
  "SQL Server": ["Server=db;User Id=sa;Password=hunter2!x;Encrypt=true", "hunter2!x"],
  "a client secret": ["https://a.example/token?client_secret=hunter2!x&grant=1", "hunter2!x"],
}
const everything = Object.values(credentials)
  .map(([text]) => text)
  .join("\n")
const leaks = (shown: string) => Object.keys(credentials).filter((name) => shown.includes(credentials[name]?.[1] ?? ""))

describe("T38 a credential", () => {
  test.each(Object.entries(credentials))(
    "of %s is taken out of a text, also where a URL or JSON escaped it",
    (_, [text, secret]) => {
      const find = secretFinder([], {})
      for (const form of [text, JSON.stringify(text), encodeURIComponent(text), JSON.stringify(JSON.stringify(text))]) {
        expect(redactText(`It failed: ${form}`, find)).toContain("[secret]")
        expect(redactText(`It failed: ${form}`, find)).not.toContain(secret)
      }
    },
  )

  test("of any kind is in no text of an error, and in no log of it or of its causes", () => {
    const cause = new Error(everything, { cause: everything })
    const evidence = { isRetryable: false, requestId: everything }
    const error = new PromptStrataError("model", everything, { hint: everything, frame: everything, evidence, cause })
    const log = vi.spyOn(console, "error").mockReturnValue()
    logError(error)
    const said = [error.message, error.stack, error.hint, error.frame, JSON.stringify(error.evidence), messageOf(cause)]
    expect(leaks([...said, ...log.mock.calls.flat()].join("\n"))).toEqual([])
    expect(log.mock.calls.flat().join()).toContain("[cause]: Error: ")
    log.mockRestore()
  })

  test("of any kind is in no result, event or trace of a turn whose tool and model fail with it", async () => {
    const fetchPage = defineTool({
      name: "fetch_page",
      description: "Fetches a page.",
      execute: () => {
        throw new Error(everything)
      },
    })
    const failing = [new PromptStrataError("model", everything, { evidence: { isRetryable: false } })]
    const { agent, session } = testAgent(scriptedModel([callTool("fetch_page"), failing]), {}, { tools: [fetchPage] })
    const turn = session.send("Hello")
    const events: unknown[] = []
    for await (const event of turn) events.push(event)
    const result = await turn.result
    expect(result.ok).toBe(false)
    const shown = [
      JSON.stringify(events),
      JSON.stringify(result),
      printTrace(result.trace),
      result.ok ? "" : result.error.message,
    ]
    expect(shown.join("\n")).toContain("[secret]")
    expect(leaks(shown.join("\n"))).toEqual([])
    await agent.close()
  })
})
