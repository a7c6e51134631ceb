import { expect, it } from 'vitest'
import type { NewMail } from '../../src/mail/outbox.js'
import { newOutboxRow, outgoingMail } from '../../src/mail/outbox-row.js'

const mail: NewMail = { kind: 'notify', messageId: '<a@b>', to: 'ada@example.org', subject: 's', text: 't' }

it('gives back what it was made of', () => {
  const headers = { 'X-Callboard-Depth': '2' }
  const row = newOutboxRow('out_1', { ...mail, html: '<p>', headers }, 5)
  expect(outgoingMail(row)).toEqual({
    ...{ messageId: '<a@b>', to: 'ada@example.org', subject: 's', text: 't' },
    html: '<p>',
    headers,
    date: 5,
  })
})

it('has a subject of one line, whatever separates lines', () => {
  const subject = ' a\r\nBcc: x\u0085b\u2028c\td\u0000e '
  expect(newOutboxRow('out_1', { ...mail, subject }, 0).subject).toBe('a Bcc: x b c d e')
})

it.each([
  ['a header with a line end', { headers: { 'X-A': 'a\r\nBcc: eve@example.org' } }],
  ['a header that needs encoding', { headers: { 'X-A': 'ü' } }],
  ['a header too long for one line', { headers: { 'X-A': 'a'.repeat(901) } }],
  ['a header name that holds another', { headers: { 'X-A: b\r\nBcc': 'eve@example.org' } }],
  ['a Message-ID with a line end', { messageId: '<a@b>\r\nBcc: eve@example.org' }],
  ['a recipient with a line end', { to: 'ada@example.org\r\nBcc: eve@example.org' }],
])('refuses %s', (_, change) => {
  expect(() => newOutboxRow('out_1', { ...mail, ...change }, 0)).toThrow(TypeError)
})
