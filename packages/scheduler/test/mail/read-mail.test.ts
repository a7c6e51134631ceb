import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMail } from '../../src/mail/read-mail.js'
import { triggerBodyHash } from '../../src/triggers/trigger-body.js'
import { rawMail } from '../support/raw-mail.js'

const read = (fields: Parameters<typeof rawMail>[0]) => readMail(Buffer.from(rawMail(fields)))

it('reads who, what and to whom', async () => {
  expect(await read({ from: '"Ada" <Ada@Example.ORG>', text: 'One\n\n  two' })).toMatchObject({
    messageId: '<one@example.org>',
    from: 'ada@example.org',
    to: ['callboard@example.org'],
    subject: 'Hello',
    text: 'One\n\n  two\n',
    inReplyTo: undefined,
    autoSubmitted: undefined,
  })
})

it('turns HTML into text where there is nothing else', async () => {
  const html =
    '<html><head><style>p{color:red}</style></head><body><p>Caf&eacute; <b>now</b></p><ul><li>one</ul></body></html>'
  const { text } = await read({ text: html, headers: ['Content-Type: text/html; charset=utf-8'] })
  expect(text).toBe('Café now\n\n * one')
})

it('decodes subject and text', async () => {
  const encoded = ['Content-Type: text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable']
  const mail = await read({ subject: '=?utf-8?B?W2xhYl0gw4l0w6kg8J+MuQ==?=', text: 'd=E9j=E0', headers: encoded })
  expect(mail).toMatchObject({ subject: '[lab] Été 🌹', text: 'déjà\n' })
})

it('keeps repeated headers in their order, topmost first', async () => {
  const headers = [
    'Authentication-Results: mx.example.org;\r\n\tdmarc=pass',
    'Authentication-Results: mx.evil.org; dmarc=fail',
  ]
  const { authenticationResults } = await read({ headers })
  expect(authenticationResults).toEqual(['mx.example.org;\tdmarc=pass', 'mx.evil.org; dmarc=fail'])
})

it('knows no sender where there are several', async () => {
  expect((await read({ from: 'ada@example.org, eve@evil.org' })).from).toBeUndefined()
  expect((await read({ from: 'ada@example.org', headers: ['From: eve@evil.org'] })).from).toBeUndefined()
  expect((await read({ from: 'friends: ada@example.org, eve@evil.org;' })).from).toBeUndefined()
  expect((await read({ from: '"ada@example.org" <eve@evil.org>' })).from).toBe('eve@evil.org')
})

it('names a mail without a usable Message-ID by its hash', async () => {
  const one = await read({ messageId: null })
  expect(one.messageId).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect((await read({ messageId: null })).messageId).toBe(one.messageId)
  expect((await read({ messageId: null, text: 'other' })).messageId).not.toBe(one.messageId)
  expect((await read({ messageId: `<${'x'.repeat(2_000)}@x>` })).messageId).toMatch(/^sha256:/)
})

it('names attachments and keeps none', async () => {
  const part = (type: string, name: string) =>
    `--b\nContent-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\n\nsecret\n`
  const text = `--b\nContent-Type: text/plain\n\nSee there\n${part('application/pdf', 'a.pdf')}${part('text/plain', 'b.txt')}--b--`
  const mail = await read({ text, headers: ['Content-Type: multipart/mixed; boundary=b'] })
  expect(mail).toMatchObject({ attachmentNames: ['a.pdf', 'b.txt'] })
  expect(mail.text).not.toMatch('secret')
})

it('gives what a trigger said the same hash after the way through a mail', async () => {
  const MailComposer = createRequire(import.meta.url)('nodemailer/lib/mail-composer') as new (
    mail: object,
  ) => {
    compile(): { build(): Promise<Buffer> }
  }
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.constantFrom('', '.', '-- ', 'From x', '> y', ' z ', '=3D'),
  )
  const body = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n').trim())
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const raw = await new MailComposer({ from: 'a@b.org', to: 'a@b.org', subject: '[lab] x', text }).compile().build()
      expect(triggerBodyHash((await readMail(raw)).text)).toBe(triggerBodyHash(text))
    }),
    { numRuns: 200 },
  )
})

it('refuses HTML that is so deep that it takes minutes', async () => {
  const text = `${'<blockquote>'.repeat(2_000)}${'<p>a'.repeat(50_000)}`
  await expect(read({ text, headers: ['Content-Type: text/html'] })).rejects.toThrow('too deep')
})
