import { isTimeZoneName } from '@callboard/worker/time-zone-name'
import { z } from 'zod'
import { allowedVariablesMax, argumentLengthMax, argumentsMax, groupsMax } from '../limits.js'
import type { Group, RunnerConfig } from './group.js'

const day = 24 * 60 * 60_000

/** The worker's own directories and the system's words. */
const reservedNames: ReadonlySet<string> = new Set(['errors', 'tmp', 'shared', 'system'])

const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9, "_" and "-", the first one a letter or a digit')
  .refine((name) => !reservedNames.has(name), `must not be one of ${[...reservedNames].join(', ')}`)

const line = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(lengthMax)
    .refine((text) => /^[^\p{Cc}\p{Cs}]*$/u.test(text), 'must be one line of text')

const argument = z
  .string()
  .max(argumentLengthMax)
  .refine((text) => /^[^\0\p{Cs}]*$/u.test(text), 'must be text without NUL')
const argumentList = z.array(argument).max(argumentsMax)

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable')

/** With these a group could sign triggers, read the mailbox or take another identity at the hub. */
const ownVariable = /^(CALLBOARD_.*|MAIL_HMAC_KEY|SMTP_URL|IMAP_URL|DATABASE_URL)$/

const baseUrl = z
  .string()
  .max(2048)
  .refine((url) => isPlainHttp(url), 'must be a URL that begins with http:// or https:// and holds no password')
  .refine((url) => !/\/chat\/completions\/*$/.test(url), 'must end before /chat/completions')

const commandRunner = z.strictObject({
  kind: z.literal('command'),
  argv: argumentList.min(1).refine((argv) => argv[0] !== '', 'must begin with a program'),
  session_args: argumentList.default([]),
  session_from: line(200).optional(),
  result_from: line(200).optional(),
  prompt_via: z.literal('stdin').default('stdin'),
  model: line(200).optional(),
})

const chatRunner = z.strictObject({
  kind: z.literal('http'),
  base_url: baseUrl,
  model: line(200),
  key_env: variableName.optional(),
})

export const groupEntry = z.strictObject({
  folder: slug,
  tag: slug,
  name: line(64),
  admin: z.boolean().default(false),
  runner: z.discriminatedUnion('kind', [commandRunner, chatRunner], 'must have "kind": "command" or "http"').optional(),
  timezone: z.string().refine(isTimeZoneName, 'must be an IANA name, like Europe/Paris').optional(),
  env_allow: z
    .array(variableName.refine((name) => !ownVariable.test(name), 'is for the worker alone: no group gets it'))
    .max(allowedVariablesMax)
    .default([]),
  timeout_ms: z.int().min(1_000).max(day).optional(),
})

export const groupsSchema = z.strictObject({ groups: z.array(groupEntry).min(1).max(groupsMax) })

export type GroupEntry = z.output<typeof groupEntry>

/** Which keys there are at the place of an unknown one. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(groupsSchema.shape)
  if (path.length <= 2) return Object.keys(groupEntry.shape)
  return [...new Set([...Object.keys(commandRunner.shape), ...Object.keys(chatRunner.shape)])]
}

export function toGroup({ folder, tag, name, admin, runner, timezone, env_allow, timeout_ms }: GroupEntry): Group {
  return Object.freeze({
    folder,
    tag,
    name,
    isAdmin: admin,
    ...(runner !== undefined && { runner: toRunner(runner) }),
    ...(timezone !== undefined && { timezone }),
    envAllow: Object.freeze(env_allow),
    ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
  })
}

function toRunner(runner: NonNullable<GroupEntry['runner']>): RunnerConfig {
  if (runner.kind === 'http') {
    const { kind, base_url, model, key_env } = runner
    return { kind, baseUrl: base_url.replace(/\/+$/, ''), model, ...(key_env !== undefined && { keyEnv: key_env }) }
  }
  const { kind, argv, session_args, session_from, result_from, prompt_via, model } = runner
  return {
    kind,
    argv,
    sessionArgs: session_args,
    promptVia: prompt_via,
    ...(session_from !== undefined && { sessionFrom: session_from }),
    ...(result_from !== undefined && { resultFrom: result_from }),
    ...(model !== undefined && { model }),
  }
}

function isPlainHttp(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}
