import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dmarcPassed } from '../../src/mail/authentication-results.js'

const passed = (header: string) => dmarcPassed(header, 'mx.example.org', 'example.org')

it.each([
  'mx.example.org; dmarc=pass header.from=example.org',
  'MX.Example.org 1; spf=fail smtp.mailfrom=x; DMARC = pass (p=reject) header.from=Example.org',
  '"mx.example.org"; dkim=pass; dmarc=pass',
  'mx.example.org (by us); dmarc=pass (a (nested) comment; dmarc=fail)',
])('believes %s', (header) => expect(passed(header)).toBe(true))

it.each([
  ['another server', 'mx.evil.org; dmarc=pass'],
  ['a server whose name only begins alike', 'mx.example.org.evil.org; dmarc=pass'],
  ['no result', 'mx.example.org; none'],
  ['a failure', 'mx.example.org; dmarc=fail header.from=example.org'],
  ['two results of which one fails', 'mx.example.org; dmarc=pass; dmarc=fail'],
  ['a pass for another domain', 'mx.example.org; dmarc=pass header.from=evil.org'],
  ['a pass of something else', 'mx.example.org; spf=pass smtp.mailfrom=dmarc=pass'],
  ['a pass within a comment', 'mx.example.org; spf=pass (; dmarc=pass)'],
  ['a pass within a quoted string', 'mx.example.org; spf=pass smtp.mailfrom="x; dmarc=pass"'],
  ['a pass behind a quote in a comment', 'mx.example.org; spf=x (") ; dmarc=fail ; x=") ; dmarc=pass"'],
  ['a pass behind an escaped bracket', 'mx.example.org; spf=x (\\) ; dmarc=pass)'],
  ['a comment without end', 'mx.example.org; dmarc=pass; x=(y'],
  ['nothing', ''],
])('does not believe %s', (_name, header) => expect(passed(header)).toBe(false))

it('is undecided by no text', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof passed(text) === 'boolean'))
})
