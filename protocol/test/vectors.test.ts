import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeMessages, encodeBatch, encodeMessage } from '../src/index.js'
import { invalidVectors } from './support/invalid-vectors.js'
import { validVectors } from './support/valid-vectors.js'
import { frameBytes, messageText, readVectors, type Vector, vectorsDirectory } from './support/vector.js'

const made = { valid: validVectors(), invalid: invalidVectors() } as const
const kinds = ['valid', 'invalid'] as const

// CALLBOARD_WRITE_VECTORS=1 npx vitest run protocol/test/vectors.test.ts
if (process.env['CALLBOARD_WRITE_VECTORS'] === '1') for (const kind of kinds) write(kind)

describe('the committed vectors', () => {
  test.each(kinds)('are those that test/support makes: %s', (kind) => {
    const byName = (one: Vector, other: Vector) => (one.name < other.name ? -1 : 1)
    expect(readVectors(kind).sort(byName)).toEqual(JSON.parse(JSON.stringify(made[kind].toSorted(byName))))
  })

  test('have names of their own', () => {
    const names = kinds.flatMap((kind) => made[kind].map(({ name }) => `${kind}/${name}`))
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('valid', () => {
  test.each(readVectors('valid').map((vector) => [vector.clause, vector.name, vector] as const))(
    '[%s] %s',
    (_clause, _name, vector) => {
      const decoded = decodeMessages(vector.frames.map(frameBytes))
      expect(decoded.faults).toEqual([])
      expect(decoded.messages.map(messageText)).toEqual(messagesOf(vector))

      const again = decoded.messages.length === 1 ? encodeMessage(decoded.messages[0]!) : encodeBatch(decoded.messages)
      expect(decodeMessages(again).messages.map(messageText)).toEqual(messagesOf(vector))
    },
  )
})

describe('invalid', () => {
  test.each(readVectors('invalid').map((vector) => [vector.clause, vector.name, vector] as const))(
    '[%s] %s',
    (_clause, _name, vector) => {
      const decoded = decodeMessages(vector.frames.map(frameBytes))
      expect(decoded.faults.map(({ code }) => code)).toEqual(vector.faults ?? [vector.fault])
      expect(decoded.messages.map(messageText)).toEqual(messagesOf(vector))
      for (const { message } of decoded.faults) expect(message.length).toBeLessThan(300)
    },
  )
})

function messagesOf(vector: Vector): readonly unknown[] {
  return vector.messages ?? (vector.message === undefined ? [] : [vector.message])
}

function write(kind: (typeof kinds)[number]): void {
  const directory = new URL(`${kind}/`, vectorsDirectory)
  mkdirSync(directory, { recursive: true })
  for (const file of readdirSync(directory)) rmSync(new URL(file, directory))
  for (const vector of made[kind]) {
    writeFileSync(new URL(`${vector.name}.json`, directory), `${JSON.stringify(vector, null, 2)}\n`)
  }
}
