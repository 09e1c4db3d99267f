/** The parts that most published templates print one below the other. */
const lines = (...parts: readonly string[]) => parts.map((part) => `{{#if ${part}}}{{${part}}}\n{{/if}}`).join("")
const around = (name: string, before: string, after = "\n") => `{{#if ${name}}}${before}{{${name}}}${after}{{/if}}`
const classic = `${lines("system", "wiBefore", "description")}${around("personality", "{{char}}'s personality: ")}${around("scenario", "Scenario: ")}${lines("wiAfter", "persona")}`
const roleplay = `## {{char}}\n${lines("description")}${around("personality", "- Personality: ")}## Scenario\n${lines("scenario")}`

/** Story strings in the forms that people publish for models and instruct formats. */
export const contextTemplates: Readonly<Record<string, string>> = {
  default: `${classic}{{trim}}`,
  "default without trim": classic,
  chatml: `<|im_start|>system\n${classic}{{trim}}<|im_end|>`,
  "chatml with examples": `<|im_start|>system\n${classic}${lines("mesExamples")}{{trim}}<|im_end|>`,
  alpaca: `${classic}\n\n`,
  "alpaca with headings": `### Instruction:\n${lines("system")}### Input:\n${lines("wiBefore", "description", "personality", "scenario", "wiAfter", "persona")}`,
  "llama 3": `<|start_header_id|>system<|end_header_id|>\n\n${classic}{{trim}}<|eot_id|>`,
  "llama 3 with begin": `<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n${classic}{{trim}}<|eot_id|>`,
  "llama 2": `[INST] <<SYS>>\n${classic}<</SYS>>\n`,
  mistral: `[INST] ${classic}{{trim}}[/INST]`,
  "mistral v7": `[SYSTEM_PROMPT]${classic}[/SYSTEM_PROMPT]`,
  "mistral with begin": `<s>[INST] ${lines("system", "description", "personality", "scenario", "wiBefore", "wiAfter", "persona")}[/INST]`,
  vicuna: `${lines("system", "wiBefore", "description", "personality", "scenario", "wiAfter", "persona")}USER: Begin.\n`,
  metharme: `<|system|>${classic}`,
  pygmalion: `{{char}}'s Persona: {{description}}\n${around("personality", "Personality: ")}${around("scenario", "Scenario: ")}${lines("wiBefore", "wiAfter")}`,
  gemma: `<start_of_turn>user\n${classic}{{trim}}<end_of_turn>`,
  "command r": `<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>${classic}<|END_OF_TURN_TOKEN|>`,
  phi: `<|system|>\n${classic}<|end|>`,
  deepseek: `<｜begin▁of▁sentence｜>${classic}`,
  glm: `[gMASK]<sop><|system|>\n${classic}`,
  "simple proxy": `## {{char}}\n- You're "{{char}}" in this never-ending roleplay with "{{user}}".\n### Input:\n${lines("system", "wiBefore", "description", "wiAfter", "personality", "persona", "scenario")}`,
  "role play in sections": roleplay,
  "lore between tags": `${lines("system")}${around("loreBefore", "<lore>\n", "\n</lore>\n")}<character>\n${lines("description", "personality")}</character>\n${around("loreAfter", "<more>\n", "\n</more>\n")}${around("persona", "About {{user}}: ")}`,
  "fields in one line":
    "{{char}} is {{description}}. {{#if personality}}Traits ({{personality}}).{{/if}} {{#if scenario}}[Circumstances: {{scenario}}]{{/if}}{{wiBefore}} {{wiAfter}}",
  "with else":
    "{{#if system}}{{system}}{{else}}Play {{char}}.{{/if}}\n{{#if scenario}}{{scenario}}{{else}}Anywhere.{{/if}}\n{{description}}",
  "with else if":
    "{{#if personality}}Traits: {{personality}}{{else if scenario}}Place: {{scenario}}{{else}}Nothing: known.{{/if}}\n{{description}}",
  "with unless":
    "{{#unless scenario}}No scenario: {{char}} decides.{{/unless}}{{description}}{{#if wiBefore}}{{#if wiAfter}}Both: {{wiBefore}} {{wiAfter}}{{/if}}{{/if}}",
  "nested and trimmed":
    "{{#if description}}~ {{~description~}} ~\n{{#if personality}}{{personality}}{{#if scenario}} in {{scenario}}{{/if}}{{/if}}{{/if}}{{! a note }}{{!-- }} --}}",
  "names inside words":
    "<{{char}}>${persona} $: {{description}} }\n{ {{personality}} : {{scenario}}\n{{#if persona}} } : {{persona}} {{/if}}",
  "names as they are": "{{{system}}}\n{{& description }}\n{{#if personality}}{{&personality}}{{/if}}{{wiBefore}}{{wiAfter}}",
  "twice and with anchors": `{{#if anchorBefore}}{{anchorBefore}}\n{{/if}}{{description}}\n{{personality}}\n{{description}}{{#if anchorAfter}}{{anchorAfter}}{{/if}}`,
}
