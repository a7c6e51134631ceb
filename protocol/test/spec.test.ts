import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FaultCode } from '../src/faults.js'
import { pick } from '../src/fields.js'
import { decodeMessages, isRightProof } from '../src/index.js'
import type { DefinitionVerdicts, MessageType } from '../src/messages.js'
import { type Shape, shapeOf } from '../src/schema.js'
import { samples } from './support/samples.js'
import {
  clauses,
  codesUnder,
  errors,
  exampleFrames,
  type MessageTable,
  messageTables,
  type Row,
  specification,
  type TypeText,
} from './support/spec.js'
import { readVectors } from './support/vector.js'

const tables = messageTables()
const numbers = clauses().map(({ number }) => number)

describe('the clauses of SPEC.md', () => {
  test('have ascending numbers, each once', () => {
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    expect(specification.match(/\*\*CB-\d+\*\*/g)).toHaveLength(numbers.length)
  })

  test('exist, wherever one is cited', () => {
    const withoutChapters = specification.replaceAll(/CB-\d+ to CB-\d+/g, '')
    const cited = [withoutChapters, errors, ...sources('../src/'), ...sources('./')]
      .flatMap((text) => [...text.matchAll(/CB-(\d+)/g)])
      .map(([, number]) => Number(number))
    expect([...new Set(cited)].filter((number) => !numbers.includes(number))).toEqual([])
    const byVectors = [...readVectors('valid'), ...readVectors('invalid')].map(({ clause }) => clause)
    expect([...new Set(byVectors)].filter((clause) => !numbers.includes(Number(clause.slice(3))))).toEqual([])
  })

  test('stay in the ranges of their chapters', () => {
    const rows = [...specification.matchAll(/^\| \[(.*)\]\(#(\d+)-.*\) +\| CB-(\d+) to CB-(\d+) +\|/gm)]
    expect(rows).toHaveLength(13)
    for (const [, title, chapter, from, to] of rows) {
      const start = specification.indexOf(`## ${chapter}. ${title}`)
      const text = specification.slice(start, specification.indexOf('\n## ', start))
      for (const [, number] of text.matchAll(/^\*\*CB-(\d+)\*\*/gm)) {
        expect(Number(number), title).toBeGreaterThanOrEqual(Number(from))
        expect(Number(number), title).toBeLessThanOrEqual(Number(to))
      }
    }
  })
})

describe('the tables of SPEC.md', () => {
  test('[CB-7] cover every type and outcome', () => {
    // biome-ignore format: a table
    const types = {
      hello: 1, challenge: 1, ready: 1, welcome: 1, reject: 1, update: 1, request: 1, response: 3, progress: 1, log: 1,
      input_required: 1, resume: 1, cancel: 1, call: 1, result: 3, event: 1, subscribe: 1, unsubscribe: 1, roots_changed: 1,
      session_closed: 1, sessions: 1, heartbeat: 1, heartbeat_echo: 1, drain: 1, bye: 1,
    } satisfies Record<MessageType, number>
    const counts: Record<string, number> = {}
    for (const { type } of tables) counts[type] = (counts[type] ?? 0) + 1
    expect(counts).toEqual(types)
  })

  test('every type and outcome has a sample, and so a vector', () => {
    const key = (type: string, outcome: unknown) => `${type} ${outcome ?? ''}`
    const sampled = samples.map(({ minimal }) => key(minimal.type, 'outcome' in minimal ? minimal.outcome : undefined))
    expect(sampled.sort()).toEqual(tables.map(({ type, outcome }) => key(type, outcome)).sort())
  })

  describe.each(tables.map((table) => [[table.type, table.outcome].filter(Boolean).join(' '), table] as const))(
    '%s',
    (_name, table) => {
      const shape = shapeFor(table)

      test('[CB-82] names the fields that the schema checks, and the body', () => {
        expect(table.rows.map(({ path, optional }) => ({ path, optional }))).toEqual(flatFields(shape.fields, ''))
        expect(table.hasBody).toBe(shape.body === 'required')
      })

      test.each(table.rows.map((row) => [row.path, row] as const))(
        '[CB-82] %s is checked as the table says',
        (_path, row) => {
          for (const value of goodValues(row, table)) expect(problemOf(shape, row, value), show(value)).toBeUndefined()
          for (const value of badValues(row.type)) expect(problemOf(shape, row, value), show(value)).toBeDefined()
        },
      )
    },
  )
})

describe('errors.md', () => {
  test('[CB-82] lists every fault code, and each has an invalid vector', () => {
    // biome-ignore format: a table
    const codes = {
      frame_count: true, head_too_large: true, body_too_large: true, head_malformed: true, batch_too_large: true,
      batch_lengths: true, type_unknown: true, field_missing: true, field_invalid: true, body_missing: true,
      body_unexpected: true,
    } satisfies Record<FaultCode, true>
    expect(codesUnder('Faults').sort()).toEqual(Object.keys(codes).sort())
    const shown = readVectors('invalid').flatMap(({ fault, faults }) => faults ?? [fault!])
    expect([...new Set(shown)].sort()).toEqual(Object.keys(codes).sort())
  })

  test.each([
    ['REJECT', 'reject', undefined, 'code'],
    ['`not_started`', 'response', 'not_started', 'reason'],
    ['Routing failures', 'result', 'failure', 'failure.code'],
    ['CANCEL', 'cancel', undefined, 'reason'],
  ])('[CB-82] lists the codes of %s', (title, type, outcome, path) => {
    const table = tables.find((one) => one.type === type && one.outcome === outcome)!
    const row = table.rows.find((one) => one.path === path)!
    expect(codesUnder(title)).toEqual(row.type.kind === 'one of' && row.type.values)
  })

  test('[CB-22] lists the verdicts on definitions', () => {
    const codes = {
      name_taken: true,
      invalid: true,
      quarantined: true,
      not_authorized: true,
      held_back: true,
    } satisfies Record<DefinitionVerdicts['refused'][number]['code'], true>
    expect(codesUnder('Verdicts').sort()).toEqual(Object.keys(codes).sort())
  })
})

describe('the worked example', () => {
  const decoded = exampleFrames().map((frames) => decodeMessages(frames))
  const messages = decoded.flatMap((one) => one.messages)

  test('[CB-10] is a sign-in and a call, and its bytes are messages', () => {
    expect(decoded.flatMap(({ faults }) => faults)).toEqual([])
    // biome-ignore format: a list
    expect(messages.map(({ type }) => type)).toEqual([
      'hello', 'challenge', 'ready', 'welcome', 'heartbeat', 'heartbeat_echo', 'request', 'progress', 'response', 'bye', 'bye',
    ])
  })

  test('[CB-14] proves itself with the secret that it names', () => {
    const [, challenge, ready] = messages
    if (challenge?.type !== 'challenge' || ready?.type !== 'ready') throw new Error('not the example')
    const [, secret] = /sign-in\s+secret\s+`([^`]+)`/.exec(specification)!
    const [, routingId] = /routing\s+id\s+`([^`]+)`/.exec(specification.slice(specification.indexOf('## 17.')))!
    const subject = { ...ready, nonce: challenge.nonce, routingId: routingId! }
    expect(isRightProof(secret!, subject, ready.proof!)).toBe(true)
  })

  test('[CB-31] names its call by the epoch', () => {
    const epoch = messages.find(({ type }) => type === 'challenge') as { epoch: string }
    const ids = messages.flatMap((message) => ('id' in message ? [message.id] : []))
    expect(new Set(ids)).toEqual(new Set([`${epoch.epoch}-1`]))
  })
})

function shapeFor({ type, outcome }: MessageTable): Shape {
  const shape = shapeOf(type, outcome)
  if (typeof shape === 'string') throw new Error(`${type}: ${shape}`)
  return shape
}

function flatFields(fields: Shape['fields'], prefix: string): { path: string; optional: boolean }[] {
  return fields.flatMap(({ name, optional, fields: inner }) => [
    { path: prefix + name, optional },
    ...(inner === undefined ? [] : flatFields(inner, `${prefix}${name}.`)),
  ])
}

/** What the schema says of a field's value by itself. */
function problemOf(shape: Shape, row: Row, value: unknown): string | undefined {
  let { fields } = shape
  const names = row.path.split('.')
  for (const name of names.slice(0, -1)) fields = fields.find((field) => field.name === name)!.fields!
  const field = fields.find(({ name }) => name === names.at(-1))!
  if (field.fields !== undefined) return field.check(value)
  const picked = pick({ [field.name]: value }, [{ ...field, optional: false }])
  return picked.ok ? undefined : picked.problem
}

/** Values at the edge of what a type allows. */
function goodValues({ type, path }: Row, table: MessageTable): unknown[] {
  if (table.type === 'hello' && path === 'versions') return [[0, 65_535]]
  return edgesInside(type)
}

function edgesInside(type: TypeText): unknown[] {
  switch (type.kind) {
    case 'text':
      return [
        'é'.repeat(type.max),
        '\u{1F3AD}'.repeat(type.max / 2),
        ' '.repeat(Math.max(type.min, 0)),
        '\n'.repeat(type.max),
      ]
    case 'token':
      return ['!'.repeat(type.min), '~'.repeat(type.max)]
    case 'integer':
      return [type.min, type.max, Math.floor((type.min + type.max) / 2)]
    case 'bytes':
      return [new Uint8Array(type.length), Buffer.alloc(type.length)]
    case 'boolean':
      return [true, false]
    case 'map':
      return [{}]
    case 'epoch':
      return ['0'.repeat(8), 'z'.repeat(32)]
    case 'service':
      return ['a', `z${'-'.repeat(31)}`, 'a0-']
    case 'one of':
      return [...type.values]
    case 'list': {
      const entries = edgesInside(type.of)
      return [[], [entries[0]], Array.from({ length: type.countMax }, (_, index) => entries[index % entries.length])]
    }
  }
}

const never: readonly unknown[] = [undefined, null, Symbol('x'), () => 1, 1n, Number.NaN, Number.POSITIVE_INFINITY]

/** Values just outside, and of every other type. */
function badValues(type: TypeText): unknown[] {
  switch (type.kind) {
    case 'text':
      return [...never, 0, true, [], {}, new Uint8Array(3), 'x'.repeat(type.max + 1), ...(type.min > 0 ? [''] : [])]
    case 'token':
      return [...never, 0, true, [], {}, '', '!'.repeat(type.max + 1), 'a b', 'a\n', 'é', '\u007f', '\t']
    case 'integer':
      return [...never, '0', true, [], {}, type.min - 1, type.max + 1, type.min + 0.5, -0.5, new Date(0)]
    case 'bytes':
      return [
        ...never,
        'x'.repeat(type.length),
        [...new Uint8Array(type.length)],
        new Uint8Array(type.length + 1),
        new Uint8Array(0),
      ]
    case 'boolean':
      return [...never, 0, 1, 'true', [], {}]
    case 'map':
      return [...never, 0, 'x', true, [], new Uint8Array(2)]
    case 'epoch':
      return [
        ...never,
        '0'.repeat(7),
        '0'.repeat(33),
        'A'.repeat(8),
        'a'.repeat(8).concat('\n'),
        'abcdefg-',
        12_345_678,
      ]
    case 'service':
      return [...never, '', 'A', '0a', '-a', 'a_b', 'a'.repeat(33), 'a\n', 'a/b']
    case 'one of':
      return [...never, '', 'x', 0, true, [type.values[0]], `${type.values[0]} `, type.values[0]!.toUpperCase()]
    case 'list': {
      const good = edgesInside(type.of)[0]
      const tooMany = Array.from({ length: type.countMax + 1 }, () => good)
      return [...never, good, {}, { length: 0 }, tooMany, ...badValues(type.of).map((bad) => [bad])]
    }
  }
}

function show(value: unknown): string {
  return String(typeof value === 'string' ? JSON.stringify(value).slice(0, 60) : typeof value)
}

function sources(directory: string): string[] {
  const url = new URL(directory, import.meta.url)
  return readdirSync(url)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, url), 'utf8'))
}
