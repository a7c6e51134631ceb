/** What a template leaves open; one that is absent rules out the templates that need it. */
export interface Slots {
  readonly topic?: string | undefined
  readonly audience?: string | undefined
  readonly pillar?: string | undefined
  readonly product?: string | undefined
  readonly keyword?: string | undefined
}

type SlotName = keyof Slots

const slotPattern = /\{(topic|Topic|audience|pillar|product|keyword)\}/g

/** Those whose slots are all known. */
export function fillable(templates: readonly string[], slots: Slots): readonly string[] {
  return templates.filter((template) => slotsOf(template).every((name) => slots[name] !== undefined))
}

/** In one pass: a slot's text is never looked into for slots. */
export function fill(template: string, slots: Slots): string {
  return template.replaceAll(slotPattern, (_, name: string) => {
    const text = slots[name.toLowerCase() as SlotName] ?? ''
    return name === 'Topic' ? capitalised(text) : text
  })
}

function slotsOf(template: string): SlotName[] {
  return [...template.matchAll(slotPattern)].map((match) => match[1]!.toLowerCase() as SlotName)
}

/** Names such as iOS stay as they are. */
function capitalised(text: string): string {
  return /^\p{Ll}[\p{Ll}\p{N}-]*(?![\p{L}\p{N}])/u.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text
}
