/**
 * Keys that begin with the name of their service. A key is long or has a digit; words with hyphens are neither. Every repetition
 * is bounded or consumes what it has looked at, so a search takes linear time.
 */
const named = [
  String.raw`(?:sk|xai|pplx|gl(?:pat|dt|rt|ptt|ft|soat|cbt|agent))-(?:(?=[\w-]{0,200}\d)[\w-]{8,}|\w{16,})`,
  String.raw`(?:sk|pk|rk)_(?:live|test)_\w{8,}`,
  String.raw`(?:gsk|hf|npm|gh[pousr]|github_pat|whsec|r8|ntn|lin_api|jina|lsv2_(?:pt|sk)|sb_secret|dckr_pat|figd|glsa|glc|sntry[su]|tgp_v1|pscale_[a-z]{2,5}|rubygems|CCIPAT|bkua|f[mo][12])_[\w=+/-]{20,}`,
  // Names of variables begin like these, too, so a key has digits and no underscore.
  String.raw`(?:fw|pat|secret|key|vc[pk]|nfp|rpa|rdme|pnu)_(?=[A-Za-z]{0,200}\d)(?=\d{0,200}[A-Za-z])[A-Za-z0-9]{20,}`,
  String.raw`(?:app|dataset)-(?=[A-Za-z]{0,24}\d)(?=[A-Z0-9]{0,24}[a-z])(?=[a-z0-9]{0,24}[A-Z])[A-Za-z0-9]{24}(?!\w)`,
  String.raw`(?:pypi|nvapi|tvly|csk|hvs|PMAK|NRAK|GOCSPX|sq0[a-z]{3}|AGE-SECRET-KEY|ya29|mfa|HRKU|tskey-[a-z]{1,10}|dp\.[a-z]{2,5}|bce-v3/ALTAK)[.-](?=[\w/.-]{0,200}\d)[\w/-](?:[\w/.-]{18,}[\w/-])`,
  "(?:do[oprt]_v1|shp(?:at|ca|pa|ss)|sbp|sk)_[0-9a-fA-F]{32,}",
  "(?:key-|dapi|SK|pul-)[0-9a-f]{32,}",
  String.raw`(?:xox[abeoprs]|xapp)-[\w-]{10,}`,
  String.raw`SG\.[\w-]{16,32}\.[\w-]{16,64}`,
  String.raw`(?:AIza|ATATT3)[\w-]{30,}`,
  "(?:AKIA|ASIA|LTAI|AKID|AKLT)[A-Za-z0-9]{12,}",
  "EAA[A-Z][A-Za-z0-9]{60,}",
  String.raw`(?:ops_)?eyJ[\w-]{16,}(?:\.{1,2}[\w-]{1,5000}){0,4}`,
  // A bot of Discord: its id in base64, a time, a signature.
  String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,50}`,
  // Zhipu, Airtable and fal: an id and a secret.
  String.raw`[0-9a-f]{32}\.(?=[a-z]{0,15}[A-Z0-9])[A-Za-z0-9]{16}(?![\w.])`,
  String.raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`,
  "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}",
]

/** The characters of a value that is assigned to a name, without those of source code. */
const value = String.raw`[^\s"'\`,;&<>(){}[\]$\\]`

/** Between a name and its value. */
const assigned = String.raw`["']?\s{0,4}[:=]\s{0,4}`

/** Stands before a value that is none: a call, a property, an address, a mask, a type of code, or a word of prose. */
const noValue = String.raw`(?![\w.]{1,80}[([]|(?:[a-z_]\w{0,40}\.){1,5}[a-z_]\w{0,40}(?=[\s,;)&"']|$)|https?:|[*•x.]{3}|(?:pass(?:word|wd|phrase)\w{0,20}|pwd|secret|true|false|null|none|nil|undefined|str|string|bytes|buffer|any|unknown|object|number|int|optional|required|missing|invalid|incorrect|wrong|empty|expired|input|yes|no|not|please|your|the|must|should|may|is|it|at)(?![\w#%*+/@^~-]|[!.]\w))`

/** The rest of a header's line, until the quote that ends it in JSON. A value in quotes belongs to it. */
const headerRest = String.raw`(?:="[^"\n]{0,4000}"|[^"'\n]){1,8000}`

/** Makes a tag for the texts of patterns. */
const pattern =
  (flags: string) =>
  (parts: TemplateStringsArray, ...values: readonly string[]) =>
    new RegExp(String.raw(parts, ...values), flags)
const [exact, anyCase, perLine] = [pattern("g"), pattern("gi"), pattern("gim")]

const password = "(?:passw(?:or)?d|passcode|pwd|passphrase)"

export const shapes: readonly RegExp[] = [
  exact`\b(?:${named.join("|")})`,
  /(?<=\bBearer\s{1,4})(?:(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{8,}|[\w.~+/-]{20,})={0,2}/gi,
  // A name, a colon and a password. In base64 the colon is one of three, by its place.
  /(?<=\b[Bb]asic\s{1,4})(?=(?:[\w+/]{4}){0,60}(?:O[g-v]|\w[DTjz][o-r]|\w\w[AEIMQUYcgkosw048]6))[\w+/]{6,}={0,2}/g,
  anyCase`(?<=\bauthorization${assigned}(?:\[\s{0,4})?["']?(?:(?:Basic|Bearer|Token|ApiKey)\s{1,4})?)(?:(?:Digest|Hawk|OAuth|NTLM|Negotiate|AWS4-HMAC-SHA256)\s${headerRest}|${noValue}(?!(?:Basic|Bearer|Token|ApiKey)\s)[^\s"',;]{6,})`,
  // Each cookie has a name and a value, in a list too.
  anyCase`(?<=\b(?:set-)?cookie["']?\s{0,4}:\s{0,4}(?:\[\s{0,4})?["']?)(?=[\w!#$%&*+.^|~-]{1,100}=)${headerRest}(?:["']\s{0,9},\s{0,9}["'](?=[\w!#$%&*+.^|~-]{1,100}=)${headerRest})*`,
  anyCase`(?<=\b(?:x-)?api[ _-]?key${assigned}["']?)${noValue}[^\s"',;]{6,}`,
  // A bot of Telegram, also in an address: /bot123456789:AA…
  /(?<!\d)\d{8,10}:A[\w-]{33,40}/g,
  // An application of Azure.
  /[\w.~-]{3}\dQ~[\w.~-]{31,40}/g,
  // Addresses to which anybody may post: Slack, Discord, Feishu, WeCom, Teams.
  /(?<=[/=])(?<=\bhooks\.slack\.com\/[a-z]{1,20}\/|\bdiscord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{5,25}\/|\bopen\.(?:feishu|larksuite)\.\w{2,3}\/open-apis\/bot\/(?:v\d\/)?hook\/|\bqyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/\w{1,20}\?key=|\bwebhook\.office\.com\/\w{1,20}\/)[\w@/-]{16,}/g,
  // The form that our own words show holds no secret.
  /(?<=:\/\/)(?!user:password@)[^\s/@:"']{0,100}:[^\s/"']{1,200}(?=@)/g,
  // A database's password may hold a slash; its address ends the text or is followed by a path.
  /(?<=\b(?:postgres(?:ql)?|mysql2?|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|clickhouse):\/\/)(?!user:password@)[^\s/@:"']{0,100}:[^\s"']{1,200}(?=@[\w.-]{1,200}(?::\d{1,5})?(?:[/?\s"',;)]|$))/g,
  /\b[\w.-]{1,60}:[^\s@"']{1,100}(?=@(?:tcp|unix)\()/g,
  /(?<=:\/\/)[0-9a-f]{32}(?=@)/g,
  // Parameters of an address and options of a command.
  /(?<=[?&](?:[a-z]{1,20}[_-])?(?:key|token|secret|ticket|sign|sig|signature|code)=)(?=[^\s&]{0,99}\d)[\w%.~+/=-]{16,}/gi,
  /(?<=(?<![\w-])-?-(?:[a-z]{1,20}-)?(?:key|token|secret|password|passwd)(?:[ =]["']?|["'], ?["']))(?=[^\s"']{0,99}\d)[^\s"'$<>{}[\],]{6,}/gi,
  /(?<=\bcurl\b[^\n]{0,300}\s(?:-u|-b|--user|--cookie)[ =]?["']?)[^\s"'=:]{1,99}[:=][^\s"']{1,4000}(?:;\s[^\s"']{1,4000})*/g,
  /(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\n]{0,200}\s-p)[^\s"']{2,}/g,
  // Connection strings and addresses: `Password=…;`, `&client_secret=…`, `"private_key": "…"`.
  anyCase`(?<=(?:${password}|secret)(?:=(?![/~])|["']\s{0,4}:\s{0,4}["']|\s{0,4}[:=]\s{0,4}["']))${noValue}${value}{6,}`,
  perLine`(?<=(?:^|[?&;]|[^,]\s)${password}=)(?![/~])${noValue}[^\s"'&;(),]{1,}(?=[\s"'&;]|$)`,
  anyCase`(?<=${password}${assigned}["'])${noValue}[^\s"']{2,}(?=["'])`,
  /(?<=[:= "'])(?<=(?:passphrase|mnemonic)["']?\s{0,4}[:=]\s{0,4}["']?)\w{2,20}(?: \w{2,20}){3,}/gi,
  // In words: one with a digit or a sign, or one that ends its line or is followed by the next name. A comma at the end is code.
  perLine`(?<=\b${password}\s{0,4}[:=]\s{0,4})${noValue}(?![/~]|\d+(?:-\d+)?\s)(?:(?=[^\s,;"']{0,60}[\d!@#%^*+?])${value}{4,}|(?<=:\s{0,4})[a-z]{3,40}(?=[.)"'\\]{0,4}(?:[ \t]{0,4}$|,?\s[\w ]{1,20}[:=]\s?[^\s=])))`,
  exact`(?<=(?:密码|密碼|口令|密钥|密鑰|令牌|授权码|授權碼|パスワード|비밀번호)["']?\s{0,4}(?:[:：=]|是|为|為|は)\s{0,4}["'“「]?)${noValue}(?![\d\s~-]{1,10}[位个個字桁文자])[!#-&(-~]{4,}`,
  // Letters of both cases and digits, as in base64, or a long hexadecimal number.
  exact`(?<=(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|-[Ss]ignature|\bsig|appid)["']?\s{0,4}[:=]\s{0,4}["']?)(?:[0-9a-fA-F]{32,}|(?=${value}{0,99}\d)(?=${value}{0,99}[G-Z])(?=${value}{0,99}[g-z])${value}{20,})`,
  anyCase`(?<=(?:access|refresh|auth|tenant|bot|api|app|client|corp|private|encrypt|aes|signing|verification)[_-]?(?:key|token|secret)${assigned}["']?)(?=[\w~+/=-]{0,99}\d)[\w~+/=-]{16,}(?![.(\w])`,
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:[^-]|-(?!---)){0,20000}/g,
]

/** Shorter texts that are keys where a server complains about one. In other texts they can be words. */
export const complainedShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|xai|gsk|hf|pplx|AIza|ghp|glpat)[-_][\w-]{6,}/g,
  /\bBearer\s{1,4}[\w.~+/-]{6,}=*/gi,
  /(?<=\bapi[ _-]?key[^\n:=]{0,40}[:=]\s{0,4}["']?)[^\s"',;]{6,}/gi,
]
