import { utcText } from '@callboard/worker/utc-text'
import { localTime } from '../schedule/zones.js'

/** What a run is for. */
export type PromptSource =
  | { readonly kind: 'task'; readonly id: string; readonly name?: string }
  | { readonly kind: 'trigger'; readonly id: string; readonly name?: string }
  | { readonly kind: 'mail'; readonly id: string; readonly name?: string }

export interface PromptParts {
  readonly source: PromptSource
  /** UTC ms. */
  readonly scheduledFor: number
  /** IANA name in which the slot is shown. */
  readonly timeZone: string
  /** From 1. */
  readonly attempt: number
  /** How late the slot was seen, in ms; 0: on time. */
  readonly lateMs: number
  readonly triggerDepth: number
  /** Folder of the group that asked for the run; absent for a person. */
  readonly sourceGroup?: string
  /** What becomes of the final text. */
  readonly deliver?: 'none' | 'log' | 'digest' | 'notify'
  /** What somebody wrote. */
  readonly text: string
}

/** What was written for the run, below a header that tells its agent what it is in the middle of. */
export function promptFor(parts: PromptParts): string {
  return `${promptHeader(parts)}\n\n${parts.text}`
}

export function promptHeader({
  source,
  scheduledFor,
  timeZone,
  attempt,
  lateMs,
  triggerDepth,
  sourceGroup,
  deliver = 'none',
}: Omit<PromptParts, 'text'>): string {
  return [
    '[Callboard run]',
    `${labels[source.kind]}: ${source.id}${source.name === undefined ? '' : ` ${JSON.stringify(source.name)}`}`,
    `Slot: ${localTime(scheduledFor, timeZone).replace('T', ' ')} ${timeZone} (${utcTime(scheduledFor)} UTC)`,
    `Attempt: ${attempt}`,
    `Lateness: ${lateness(lateMs)}`,
    `Depth: ${triggerDepth}`,
    `Source group: ${sourceGroup ?? 'none, a person wrote this'}`,
    deliveries[deliver],
    '[End of header]',
  ].join('\n')
}

/** `on time`, or the two greatest units: `2 days 4 hours late`. */
export function lateness(lateMs: number): string {
  if (lateMs <= 0) return 'on time'
  const seconds = Math.max(1, Math.floor(lateMs / 1000))
  const counts = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const
  const first = counts.findIndex(([count]) => count > 0)
  const shown = counts.slice(first, first + 2).filter(([count]) => count > 0)
  return `${shown.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' ')} late`
}

const labels = { task: 'Task', trigger: 'Trigger', mail: 'Mail' } as const

const deliveries = {
  none: 'Note: output is not sent; use send_message',
  log: 'Note: output is only logged, not sent; use send_message',
  digest: 'Note: output goes into the digest; for anything sooner use send_message',
  notify: 'Note: output is sent as a notification; for anything else use send_message',
} as const

function utcTime(time: number): string {
  return utcText(time).replace(/\.\d+Z$/, 'Z')
}
