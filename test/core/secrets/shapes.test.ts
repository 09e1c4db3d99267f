import { inspect } from "node:util"
import fc from "fast-check"
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
const uuid = "6f1ed002-ab59-4f3a-8c1d-1f2e3d4c5b6a"
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
  "a short key of Google": [`key AQ.Ab8${mixed(45)}`, mixed(45)],
  "Amazon Bedrock": [`ABSK${mixed(100)}=`, mixed(100)],
  "Azure OpenAI": [`${mixed(52)}JQQJ99${upper(22)}`, mixed(52)],
  "GitLab, routable": [`glpat-${mixed(27)}.01.${hex(9)}`, `01.${hex(9)}`],
  "a runner of GitLab": [`GR1348941${mixed(20)}`, mixed(20)],
  "a session of Slack": [`xoxd-${mixed(20)}%2B${mixed(40)}`, mixed(40)],
  Mailchimp: [`key ${hex(32)}-us14`, hex(32)],
  Brevo: [`xkeysib-${hex(64)}-${mixed(16)}`, mixed(16)],
  Postmark: [`X-Postmark-Server-Token: ${uuid}`, uuid],
  Resend: [`re_${mixed(8)}_${mixed(24)}`, mixed(24)],
  "an origin of Cloudflare": [`v1.0-${hex(24)}-${hex(146)}`, hex(120)],
  "a token that is an identifier": [`RAILWAY_TOKEN=${uuid}`, uuid],
  Terraform: [`${mixed(14)}.atlasv1.${mixed(67)}`, mixed(67)],
  Asana: [`2/1234567890123456/1234567890123456:${hex(32)}`, hex(32)],
  Dropbox: [`sl.u.AF${mixed(130)}`, mixed(130)],
  PayPal: [`access_token$production$${hex(16)}$${hex(32)}`, hex(32)],
  Instagram: [`IGQVJ${mixed(150)}`, mixed(150)],
  "a bearer of Twitter": [`AAAAAAAAAAAAAAAAAAAAA${mixed(30)}%3D${mixed(50)}`, mixed(50)],
  "a secret of DingTalk": [`SEC${hex(64)}`, hex(64)],
  "a refresh token of Google": [`1//0${mixed(60)}`, mixed(60)],
  Okta: [`SSWS 00${mixed(40)}`, mixed(40)],
  Matrix: [`syt_Ym9i_${mixed(20)}_${mixed(6)}`, mixed(20)],
  Pinecone: [`pcsk_${mixed(70)}`, mixed(70)],
  ngrok: [`2${mixed(26)}_${mixed(21)}`, mixed(21)],
  HubSpot: [`pat-na1-${uuid}`, uuid],
  JFrog: [`AKCp${mixed(69)}`, mixed(69)],
  IFTTT: [`https://maker.ifttt.com/trigger/x/with/key/${mixed(43)}`, mixed(43)],
  Zapier: ["https://hooks.zapier.com/hooks/catch/1234567/ab3cd5e/", "ab3cd5e"],
  "a registry of Docker": [`{"auth":"${btoa(`bob:${mixed(12)}`)}"}`, btoa(`bob:${mixed(12)}`)],
  "a private key of PuTTY": [`Private-Lines: 1\n${mixed(64)}\nPrivate-MAC: x`, mixed(64)],
  "a private JSON web key": [`{"kty":"EC","d":"${mixed(43)}"}`, mixed(43)],
  ".netrc": ["machine api.x.io login bob password hunterXtwo", "hunterXtwo"],
  "a hash by bcrypt": [`bob:$2y$10$${mixed(53)}`, mixed(53)],
  "a password behind a full-width colon": ["password：hunter2x", "hunter2x"],
  "a header with a token": [`Authorization: Bearer ${mixed(30)}`, mixed(30)],
  "a header with a key": [`Ocp-Apim-Subscription-Key: ${hex(32)}`, hex(32)],
  PostgreSQL: ["postgresql://ann:hunter2!x@db.example/app", "hunter2!x"],
  MongoDB: ["mongodb+srv://ann:hunter2%21x@c.example/app", "hunter2%21x"],
  Redis: ["redis://:hunter2!x@db.example:6379", "hunter2!x"],
  "SQL Server": ["Server=db;User Id=sa;Password=hunter2!x;Encrypt=true", "hunter2!x"],
  "a basic header": [`Authorization: Basic ${btoa("ann:hunter2!x")}`, btoa("ann:hunter2!x")],
  "a basic header in a list": [`{"authorization":["Basic ${btoa("ann:hunter2!y")}"]}`, btoa("ann:hunter2!y")],
  "a basic header in words": [`We sent Basic ${btoa("ann:hunter2!z")} to it`, btoa("ann:hunter2!z")],
  "a digest": [`Authorization: Digest username="ann", response="d1${hex(30)}"`, `d1${hex(30)}`],
  "a cookie": ["Cookie: theme=dark; session=c00kie-one", "c00kie-one"],
  "a cookie that is set": ["Set-Cookie: sid=c00kie%2Dtwo; Path=/; HttpOnly", "c00kie%2Dtwo"],
  "a list of cookies": [JSON.stringify({ "set-cookie": ["a=1; Path=/", "sid=c00kie-three"] }), "c00kie-three"],
  "a quoted cookie": ['Cookie: a="c00kie four"; b=2', "c00kie four"],
  "a cookie of curl": ["curl -b 'sid=c00kie-five' https://a.example", "c00kie-five"],
  "a user of curl": ["curl -u ann:hunter2.curl https://a.example", "hunter2.curl"],
  "a webhook of Feishu": [`https://open.feishu.cn/open-apis/bot/v2/hook/f1${uuid}`, `f1${uuid}`],
  "a webhook of Lark": [`https://open.larksuite.com/open-apis/bot/v2/hook/f2${uuid}`, `f2${uuid}`],
  "a webhook of WeCom": [`https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=f3${uuid}`, `f3${uuid}`],
  "a webhook of DingTalk": [`https://oapi.dingtalk.com/robot/send?access_token=f4${hex(62)}`, `f4${hex(62)}`],
  "a webhook of Teams": [`https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/f5${hex(30)}/${uuid}`, `f5${hex(30)}`],
  "an app of Feishu": [`appSecret: f6${mixed(30).toLowerCase()}`, `f6${mixed(30).toLowerCase()}`],
  "a tenant of Feishu": [`{"tenant_access_token":"t-f7${hex(40)}"}`, `f7${hex(40)}`],
  "an app of WeCom": [`gettoken?corpid=ww1&corpsecret=f8${mixed(41)}`, `f8${mixed(41)}`],
  "Tencent Cloud": [`AKIDf9${mixed(30)}`, `f9${mixed(30)}`],
  Zhipu: [`The key ${hex(32)}.zP${mixed(14)} has expired.`, `zP${mixed(14)}`],
  Fireworks: [`fw_fW${mixed(22)}`, `fW${mixed(22)}`],
  Together: [`tgp_v1_tG${mixed(41)}`, `tG${mixed(41)}`],
  Heroku: [`HRKU-AA${mixed(58)}`, `AA${mixed(58)}`],
  Doppler: [`dp.pt.dP${mixed(41)} dp.st.prod.dS${mixed(41)}`, `dP${mixed(41)}`],
  Vercel: [`vcp_vC${mixed(22)}`, `vC${mixed(22)}`],
  Coze: [`pat_cZ${mixed(62)}`, `cZ${mixed(62)}`],
  Dify: [`app-dF${mixed(22)}`, `dF${mixed(22)}`],
  Baidu: [`bce-v3/ALTAK-${mixed(20)}/bD${hex(38)}`, `bD${hex(38)}`],
  Tailscale: [`tskey-auth-tS${mixed(20)}`, `tS${mixed(20)}`],
  Meta: [`EAAG${mixed(100)}`, mixed(100)],
  "a slash in a database's password": ["postgres://ann:dsn/one@db.example/app", "dsn/one"],
  "an at sign in a database's password": ["mysql://ann:dsn@two@db.example/app", "dsn@two"],
  "a short password of Redis": ["redis://:dsn3@db.example:6379", "dsn3"],
  "MySQL for Go": ["ann:dsn-four@tcp(db:3306)/app", "dsn-four"],
  "a program for MySQL": ["mysql -uroot -pdsn-five app", "dsn-five"],
  Sentry: [`https://d6${hex(30)}@o1.ingest.sentry.io/12`, `d6${hex(30)}`],
  "an option of a command": [`{"args":["--api-key","o1${mixed(20)}"]}`, `o1${mixed(20)}`],
  "a password in words": ["Login failed (user: ann, password: sunflower).", "sunflower"],
  "a password that ends a line": ["password: daffodil", "daffodil"],
  "a password before another name": ["passwd: marigold host: db", "marigold"],
  "a password with a digit": ["Your password: tulip7 does not work", "tulip7"],
  "a quoted password": ["{ 'password': 'ro&s(e' }", "ro&s(e"],
  "a short password in an address": ["jdbc:postgresql://h/db?user=a&password=lily", "lily"],
  "a password in Chinese": ["密码：peony8", "peony8"],
  "a password in a Chinese sentence": ["您的密码是orchid9，请妥善保管", "orchid9"],
  "a passphrase": ['"passphrase": "correct horse battery staple"', "horse battery"],
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

  test("that is known is found as numbers of any notation", () => {
    const known = "A known; secret?"
    const bytes = Buffer.from(known)
    const hexadecimal = bytes.toString("hex")
    const forms = [
      hexadecimal,
      hexadecimal.toUpperCase(),
      hexadecimal.replace(/..(?=.)/g, "$& "),
      hexadecimal.replace(/..(?=.)/g, "$&:"),
      hexadecimal.toUpperCase().replace(/..(?=.)/g, "$&-"),
      hexadecimal.replace(/../g, "\\x$&"),
      JSON.stringify([...bytes]),
      `[${[...bytes].join(" ")}]`,
      [...bytes].map((byte) => `0x${byte.toString(16)}`).join(", "),
      `{${[...bytes].map((byte) => `0x${byte.toString(16).toUpperCase()}`).join()}}`,
      hexadecimal.replace(/../g, "=$&").toUpperCase(),
      [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(""),
    ]
    for (const form of forms)
      expect(redactText(`Sent ${form}.`, secretFinder([known], {})), form).toMatch(/^Sent .{0,8}\[secret\].{0,1}\.$/)
  })

  test.each([
    ["twice", (text: string) => btoa(btoa(text))],
    ["of its hexadecimal numbers", (text: string) => btoa(Buffer.from(text).toString("hex"))],
    ["of UTF-16", (text: string) => Buffer.from(text, "utf16le").toString("base64")],
    ["of UTF-16 with the other order of bytes", (text: string) => Buffer.from(text, "utf16le").swap16().toString("base64")],
  ])("that is known is found in base64 %s, wherever it begins", (_, encoded) => {
    const known = "sk-known-0123456789"
    for (const before of ["", "a", "ab", "abc", "key=", "token"])
      for (const after of ["", "!", "!!", "!!!"]) {
        const text = encoded(before + known + after)
        const shown = redactText(text, secretFinder([known], {}))
        expect(shown, text).toContain("[secret]")
        expect(shown.length, shown).toBeLessThan(text.length * 0.6)
      }
  })

  test("that is known is found in a quoted-printable mail, and text with equals signs and numbers stays", () => {
    const find = secretFinder(["A known=secret?"], {})
    expect(redactText("Of A known=3Dsecret? Bye", find)).toBe("Of [secret] Bye")
    const plain = "a=ab=cd &b=3Dx \\101 0x41 0x1234, 0x41,0x42"
    expect(redactText(plain, find)).toBe(plain)
  })

  test("that is known is found in lines of base64, in a printed list of bytes and in code points", () => {
    const known = "A known; secret?"
    const bytes = Buffer.from(known)
    const inFile = Buffer.from(`${"x".repeat(40)}${known}${"y".repeat(40)}`).toString("base64")
    const forms = [
      inFile.replace(/.{64}/g, "$&\n"),
      JSON.stringify(inFile.replace(/.{64}/g, "$&\r\n  ")),
      inspect(new Uint8Array(bytes)),
      JSON.stringify(bytes, undefined, 2),
      [...known].map((each) => `\\u{${each.charCodeAt(0).toString(16)}}`).join(""),
    ]
    for (const form of forms) expect(redactText(`Sent ${form}.`, secretFinder([known], {})), form).toContain("[secret]")
    const lines = "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\nOf 1, 2 and 3,\n4"
    expect(redactText(lines, secretFinder([known], {}))).toBe(lines)
  })
})

/** What stands where a credential could: types, properties, calls, masks, addresses and words of sentences. */
const noCredentials = [
  ...[
    "password: string;",
    "password: z.string()",
    "password: options.password,",
    "password = req.body.password",
    "password: input,",
  ],
  ...["const password = getPassword()", "connection.password = pass", "if (password == other)", "password: str = Field()"],
  ...[
    "password: process.env.DB_PASSWORD",
    "password: $PASSWORD",
    "password: None",
    "password: ********",
    "password: <your password>",
  ],
  ...["(using password: YES)", "Password: must be at least 8 characters", "The password: it must be long.", "password: required"],
  ...[
    "invalid password: expected string",
    "Tell me the password: please!",
    "Enter password: ",
    "reset password: https://a.example/x",
  ],
  ...[
    "密码：请联系管理员",
    "密码：6-16位",
    "密码是什么？",
    "pwd: /home/ann",
    "PWD=/home/ann/notes",
    "Basic understanding of JavaScript",
  ],
  ...[
    "Cookie: chocolate chip, 12 = a dozen",
    "a cookie = a treat",
    "Authorization: required for all",
    "apiKey: firstFilled(options.apiKey)",
  ],
  ...[
    "app-store-connect-and-more-words",
    "key_of_a_long_variable_name_2",
    "secret_santa_2024",
    "https://a.example:8080/x@y",
    "at 12:30@home",
  ],
  ...[
    "type User = { name: string; password: string }",
    "curl -o out.html https://a.example",
    "mysql -u root -p app",
    "dp.style.width",
  ],
]

test("T38 prose and code around the names of secrets stay, in any order and with any blanks between them", () => {
  const find = secretFinder([], {})
  const text = fc
    .array(fc.constantFrom(...noCredentials), { minLength: 1, maxLength: 8 })
    .chain((parts) => fc.constantFrom("\n", "\n\n", "\n  ").map((between) => parts.join(between)))
  fc.assert(
    fc.property(text, (prose) => {
      expect(redactText(prose, find)).toBe(prose)
    }),
  )
})

test("T38 a secret in prose and code is found, and they stay as they are", () => {
  const find = secretFinder([], {})
  const prose = fc.constantFrom(...noCredentials)
  const named = Object.entries(credentials)
  fc.assert(
    fc.property(prose, fc.constantFrom(...named), prose, (before, [, [text, secret]], after) => {
      const shown = redactText(`${before}\n${text}\n${after}`, find)
      expect(shown).not.toContain(secret)
      expect(shown.startsWith(before) && shown.endsWith(after)).toBe(true)
    }),
  )
})
