import fc from 'fast-check'
import type { Message } from '../../src/messages.js'
import { type MessageTable, messageTables, type Row, type TypeText } from './spec.js'

/** Any message of CB/1, made from the tables of SPEC.md rather than from the code under test. */
export const arbitraryMessage: fc.Arbitrary<Message> = fc.oneof(...messageTables().map(fromTable))

function fromTable({ type, outcome, hasBody, rows }: MessageTable): fc.Arbitrary<Message> {
  const fields = hasBody ? fc.tuple(record(rows, ''), fc.uint8Array({ maxLength: 40 })) : fc.tuple(record(rows, ''))
  return fields
    .map(
      ([head, body]) => ({ type, ...(outcome && { outcome }), ...head, ...(body && { body }) }) as unknown as Message,
    )
    .map(orderVersions)
    .filter((message) => message.type !== 'event' || message.kind !== 'resource_updated' || message.uri !== undefined)
}

function record(rows: readonly Row[], prefix: string): fc.Arbitrary<{ [key: string]: unknown }> {
  const own = rows.filter(({ path }) => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'))
  const arbitraries = own.map((row) => {
    const value = row.type.kind === 'map' ? record(rows, `${row.path}.`) : arbitrary(row.type)
    return [row.path.slice(prefix.length), value] as const
  })
  const requiredKeys = own.filter(({ optional }) => !optional).map(({ path }) => path.slice(prefix.length))
  return fc.record(Object.fromEntries(arbitraries), { requiredKeys, noNullPrototype: true })
}

function arbitrary(type: TypeText): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'text':
      return fc.string({ unit: 'binary', minLength: type.min, maxLength: 12 })
    case 'token':
      return characters('!-~', type.min, Math.min(type.max, 12))
    case 'integer':
      return fc.oneof(
        fc.integer({ min: type.min, max: Math.min(type.max, 300) }),
        fc.maxSafeNat().map((value) => Math.min(Math.max(value, type.min), type.max)),
      )
    case 'bytes':
      return fc.uint8Array({ minLength: type.length, maxLength: type.length })
    case 'boolean':
      return fc.boolean()
    case 'epoch':
      return characters('0-9a-z', 8, 32)
    case 'service':
      return characters('a-z0-9-', 0, 31).map((rest) => `s${rest}`)
    case 'one of':
      return fc.constantFrom(...type.values)
    case 'list':
      return fc.array(arbitrary(type.of), { maxLength: Math.min(type.countMax, 4) })
    case 'map':
      throw new Error('a map is made by record()')
  }
}

function characters(set: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(`^[${set}]{${minLength},${maxLength}}$`))
}

/** The one type whose table says less than its meaning. */
function orderVersions(message: Message): Message {
  if (message.type !== 'hello') return message
  const [lowest = 1, highest = lowest] = [...message.versions].sort((one, other) => one - other)
  return { type: 'hello', versions: [lowest, highest] }
}
