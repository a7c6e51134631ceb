import { tokenMsMax } from './limits.js'

export const lifetimeRule = 'a time like 90m, 12h, 30d or 4w, of at least 1m and at most 3650d'

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** How long something is to be good, in ms; undefined for what is no such time. */
export function lifetimeMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const ms = Number(count) * units[unit as keyof typeof units]
  return ms >= 60_000 && ms <= tokenMsMax ? ms : undefined
}
