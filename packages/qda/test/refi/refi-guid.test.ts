import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalGuid, refiGuid } from '../../src/refi/refi-guid.js'

test('a GUID is of version 5, and the same for the same thing', () => {
  const uid = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  expect(refiGuid(uid, 'code', 1)).toBe('fb8d37c2-269c-53dc-8cfb-41d38cf1dac3')
  expect(refiGuid(uid, 'code', 1)).toBe(refiGuid(`{${uid.toUpperCase()}}`, 'code', 1))
  const others = [refiGuid(uid, 'code', 2), refiGuid(uid, 'source', 1), refiGuid(refiGuid(uid, 'a', 1), 'code', 1)]
  expect(new Set([refiGuid(uid, 'code', 1), ...others]).size).toBe(4)
})

test('case and braces of a GUID make no difference', () => {
  fc.assert(
    fc.property(fc.uuid(), (guid) => {
      for (const spelt of [guid, guid.toUpperCase(), `{${guid}}`, ` {${guid.toUpperCase()}} `]) {
        expect(normalGuid(spelt)).toBe(guid)
      }
    }),
  )
})

test.each(['', 'c001', '{11111111-2222-3333-4444-555555555555', '11111111222233334444555555555555'])(
  '"%s" is no GUID',
  (text) => expect(normalGuid(text)).toBeNull(),
)
