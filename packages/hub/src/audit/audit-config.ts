import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { isObject, oneOf, type Report, readFields } from '../config-fields.js'
import { fileBytesDefault, fileBytesMax, fileBytesMin, keepDaysMax, keepFilesDefault, keepFilesMax } from './limits.js'
import { environmentSecrets } from './redaction.js'

const recordings = ['hash', 'redacted', 'full'] as const

/** How much of a call's arguments its line has beside their hash. `none`: not even that. */
export type Recording = 'none' | (typeof recordings)[number]

export interface AuditConfig {
  readonly directory: string
  readonly fileBytes: number
  readonly keepFiles: number
  /** Absent: the number of files alone decides. */
  readonly keepDays?: number
  readonly arguments: Recording
  /** What becomes of calls that can't be recorded. */
  readonly onFailure: 'continue' | 'refuse'
  /** From the environment: they are replaced wherever they occur. */
  readonly secrets: readonly string[]
}

interface AuditInput {
  /** `audit` of the config file, unread. */
  readonly value: unknown
  /** `CALLBOARD_AUDIT`. */
  readonly variable: string | undefined
  readonly dataDirectory: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Undefined: there is no journal. */
export function readAudit(input: AuditInput, fileName: string, problems: string[]): AuditConfig | undefined {
  const { value, variable, dataDirectory, environment } = input
  if (variable !== undefined && variable !== 'on' && variable !== 'off') {
    problems.push(`CALLBOARD_AUDIT: ${variable} must be on or off.`)
  }
  const given = settings(value, (problem) => problems.push(`${fileName}: ${problem}.`))
  const isOn = variable === undefined ? given !== undefined : variable !== 'off'
  if (!isOn) return undefined
  return {
    directory: join(dataDirectory, 'audit'),
    fileBytes: fileBytesDefault,
    keepFiles: keepFilesDefault,
    arguments: 'hash',
    onFailure: 'continue',
    ...given,
    secrets: environmentSecrets(environment),
  }
}

function settings(value: unknown, report: Report): Partial<AuditConfig> | undefined {
  if (value === undefined || value === false) return undefined
  if (value === true) return {}
  if (isObject(value)) return readFields(value, fields, 'audit', report) as Partial<AuditConfig>
  report('audit: must be true, false, or an object, like {"arguments": "redacted"}')
  return undefined
}

const whole = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`
  return z.number(rule).int(rule).min(least, rule).max(most, rule)
}

const fields = {
  directory: z.string('must be an absolute path').refine(isAbsolute, 'must be an absolute path'),
  fileBytes: whole(fileBytesMin, fileBytesMax),
  keepFiles: whole(1, keepFilesMax),
  keepDays: whole(1, keepDaysMax),
  arguments: z.enum(recordings, `must be ${oneOf(recordings)}`),
  onFailure: z.enum(['continue', 'refuse'], 'must be continue or refuse'),
}
