import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsePostgresUrl } from '../src/postgres-address.js'
import { StoreError } from '../src/store-error.js'

it('names the place without its credentials', () => {
  expect(parsePostgresUrl('postgres://me:secret@db.example/forum', {}).place).toBe('db.example:5432/forum')
  expect(parsePostgresUrl('postgresql://me@db:6000/forum', {}).place).toBe('db:6000/forum')
  expect(parsePostgresUrl('postgres:///forum?host=/run/postgresql', {}).place).toBe('/run/postgresql:5432/forum')
})

it('adds its settings after those of the URL', () => {
  const { connectionString } = parsePostgresUrl('postgres://db/forum?options=-c%20geqo%3Doff', { search_path: 'mine' })
  expect(new URL(connectionString).searchParams.get('options')).toBe('-c geqo=off -c search_path=mine')
})

it.each([
  '',
  'forum',
  'mysql://db/forum',
  'http://db',
  'postgres://me:p/secret@db/forum',
  'postgres://me:1/secret@db/f',
  'postgres://me:50%@db/forum',
])('refuses %j', (url) => {
  expect(() => parsePostgresUrl(url, {})).toThrow(expect.objectContaining({ code: 'invalid_url' }))
})

it('never shows the password, whatever it holds', () => {
  // Long enough not to occur in the messages by chance.
  const passwords = fc.string({ unit: 'grapheme-ascii', minLength: 12 }).filter((text) => !text.includes(' '))
  fc.assert(
    fc.property(passwords, fc.boolean(), (password, encoded) => {
      const url = `postgres://me:${encoded ? encodeURIComponent(password) : password}@db.example/forum`
      try {
        const address = parsePostgresUrl(url, {})
        const actual = encoded ? password : decodeURIComponent(password)
        expect(address.place).toBe('db.example:5432/forum')
        expect(address.redact(`failed for ${actual}`)).toBe('failed for ***')
      } catch (error) {
        expect(encoded).toBe(false)
        expect(error).toBeInstanceOf(StoreError)
        expect(inspect(error, { depth: 9 })).not.toContain(password)
      }
    }),
  )
})
