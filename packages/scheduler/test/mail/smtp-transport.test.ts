import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@callboard/worker/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSchedulerConfig } from '../../src/config.js'
import { isLoopbackHost } from '../../src/mail/loopback.js'
import type { OutgoingMail } from '../../src/mail/mail-transport.js'
import { smtpSettingsOf } from '../../src/mail/smtp-settings.js'
import { type SmtpTransport, smtpTransportOf } from '../../src/mail/smtp-transport.js'
import { TestSmtpServer } from '../support/test-smtp-server.js'

const address = 'agents@example.org'
const patient = () => ({ signal: new AbortController().signal, timeoutMs: 45_000 })

const mail: OutgoingMail = {
  messageId: '<msg_1.x@example.org>',
  to: 'ada@example.org',
  subject: 'Grüße 🎈',
  text: 'Hello\n.\nbye',
  html: '<p>Hello</p>',
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Callboard-Trigger': 'a'.repeat(600) },
  date: Date.parse('2026-02-20T16:00:00Z'),
}

function transportFor(smtpUrl: string, options: object = {}, clock = new VirtualClock()): SmtpTransport {
  const config = parseSchedulerConfig({ smtp_url: smtpUrl, mail_address: address, ...options })
  return smtpTransportOf(config, clock)!
}

describe('a mail', () => {
  it('arrives with its own Message-ID, Date and headers, whole', async () => {
    await using server = await TestSmtpServer.start()
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    expect(await transport.send(mail, patient())).toEqual({ kind: 'sent' })
    const [arrived] = server.accepted
    expect(arrived).toMatchObject({ messageId: mail.messageId, subject: mail.subject, date: new Date(mail.date) })
    expect(arrived!.text!.trimEnd()).toBe(mail.text)
    expect(arrived!.from!.text).toBe(address)
    expect(arrived!.headers.get('x-callboard-trigger')).toBe('a'.repeat(600))
    expect(arrived!.headers.get('auto-submitted')).toBe('auto-generated')
  })

  it('has no header and no recipient that its subject or text brings', async () => {
    await using server = await TestSmtpServer.start()
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    await transport.send(
      { ...mail, subject: 'a\r\nBcc: eve@example.org\r\n\r\nbody', text: '\r\n.\r\nMAIL FROM:<x@y>' },
      patient(),
    )
    const [arrived] = server.accepted
    expect(arrived!.bcc).toBeUndefined()
    expect(arrived!.subject).toMatch(/^a Bcc: eve@example.org +body$/)
    expect(server.accepted).toHaveLength(1)
  })

  it('of many goes over few connections', async () => {
    await using server = await TestSmtpServer.start()
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    for (let n = 0; n < 5; n++) await transport.send(mail, patient())
    expect([server.accepted.length, server.connections]).toEqual([5, 1])
  })
})

describe('a failure', () => {
  it.each([
    [421, 'deferred'],
    [451, 'deferred'],
    [452, 'deferred'],
    [550, 'refused'],
    [554, 'refused'],
  ])('of %i to the mail means %s', async (code, kind) => {
    await using server = await TestSmtpServer.start()
    server.fates.push(code)
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    const result = await transport.send(mail, patient())
    expect(result).toEqual({ kind, error: expect.stringContaining(`${code} as the test wants it`) })
  })

  it('to the recipient is one of the mail, and the server counts as there', async () => {
    await using server = await TestSmtpServer.start()
    server.recipientAnswer = 550
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    expect((await transport.send(mail, patient())).kind).toBe('refused')
    expect(transport.health).toMatchObject({ connected: true, lastError: expect.stringContaining('550') })
  })

  it.each(['die_in_data', 'die_after_data'] as const)('of the connection (%s) is for another try', async (fate) => {
    await using server = await TestSmtpServer.start()
    server.fates.push(fate)
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    expect((await transport.send(mail, patient())).kind).toBe('deferred')
    expect(server.accepted).toEqual([])
    expect((await transport.send(mail, patient())).kind).toBe('sent')
  })

  it('to answer in time, too', async () => {
    await using server = await TestSmtpServer.start()
    server.fates.push('hang')
    const clock = new VirtualClock()
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`, {}, clock)
    const arrived = server.nextContent()
    const sending = transport.send(mail, { ...patient(), timeoutMs: 10_000 })
    await arrived
    clock.advance(10_000)
    expect(await sending).toEqual({ kind: 'deferred', error: 'ETIMEDOUT: no answer within 10 s' })
  })

  it('of the signal, too', async () => {
    await using server = await TestSmtpServer.start()
    server.fates.push('hang')
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`)
    const abort = new AbortController()
    const arrived = server.nextContent()
    const sending = transport.send(mail, { signal: abort.signal, timeoutMs: 10_000 })
    await arrived
    abort.abort()
    expect((await sending).kind).toBe('deferred')
  })

  it('to sign in concerns no mail, and names no password', async () => {
    const seen: string[] = []
    const password = 'correct horse/ü'
    await using server = await TestSmtpServer.start({
      allowInsecureAuth: true,
      onAuth: ({ username, password: given }, _session, done) => {
        seen.push(`${username} ${given}`)
        done(Object.assign(new Error(`not ${given}, ${Buffer.from(given!).toString('base64')}`), { responseCode: 535 }))
      },
    })
    await using transport = transportFor(`smtp://ada:${encodeURIComponent(password)}@127.0.0.1:${server.port}`)
    const result = await transport.send(mail, patient())
    expect(seen).toEqual([`ada ${password}`])
    expect(result).toEqual({
      kind: 'deferred',
      error: expect.stringMatching(/^EAUTH: .*535 not \*\*\*.*check user and password/),
    })
    expect(JSON.stringify([result, transport.health])).not.toContain(password)
    expect(JSON.stringify([result, transport.health])).not.toContain(Buffer.from(password).toString('base64'))
  })
})

describe('health', () => {
  it('is that of the last conversation', async () => {
    const clock = new VirtualClock()
    const server = await TestSmtpServer.start()
    await using transport = transportFor(`smtp://127.0.0.1:${server.port}`, {}, clock)
    expect(transport.health).toEqual({ configured: true, connected: false, lastOkAt: null, lastError: null })
    await transport.check()
    const lastOkAt = clock.now()
    expect(transport.health).toEqual({ configured: true, connected: true, lastOkAt, lastError: null })
    await server[Symbol.asyncDispose]()
    clock.advance(60_000)
    await transport.check()
    expect(transport.health).toMatchObject({
      connected: false,
      lastOkAt,
      lastError: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('TLS', () => {
  let directory: string
  let certificates: { key: Buffer; cert: Buffer }
  const file = (name: string) => join(directory, name)
  const outside = () =>
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'callboard-tls-'))
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test CA')
    openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=mail.test')
    const names = ['IP:127.0.0.1', 'DNS:localhost', `DNS:${hostname()}`, ...(outside() ? [`IP:${outside()}`] : [])]
    writeFileSync(file('names'), `subjectAltName=${names.join(',')}`)
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
    openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing)
    certificates = { key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')) }
  })

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it.each(['smtps', 'smtp'] as const)('is verified against the private authority (%s)', async (scheme) => {
    const options = scheme === 'smtps' ? { secure: true } : { disabledCommands: [] }
    await using server = await TestSmtpServer.start({ ...certificates, ...options })
    await using transport = transportFor(`${scheme}://127.0.0.1:${server.port}`, { smtp_tls_ca: file('ca.pem') })
    expect(await transport.send(mail, patient())).toEqual({ kind: 'sent' })
  })

  it('refuses a certificate of nobody, and says what to set', async () => {
    await using server = await TestSmtpServer.start({ ...certificates, secure: true })
    await using transport = transportFor(`smtps://ada:secret@127.0.0.1:${server.port}`)
    const result = await transport.send(mail, patient())
    expect(result).toEqual({ kind: 'deferred', error: expect.stringMatching(/certificate.*needs SMTP_TLS_CA/) })
    expect(server.seen).toEqual([])
  })

  it('is there or nothing is sent beyond loopback', async (test) => {
    const host = outside() ?? test.skip('this machine has no address but loopback')
    let signedIn = false
    const listening = {
      ...certificates,
      allowInsecureAuth: true,
      onAuth: (_auth: unknown, _session: unknown, done: (error: null, reply: { user: string }) => void) => {
        signedIn = true
        done(null, { user: 'ada' })
      },
    }
    await using server = await TestSmtpServer.start(listening, host)
    await using transport = transportFor(`smtp://ada:secret@${host}:${server.port}`, { smtp_tls_ca: file('ca.pem') })
    const result = await transport.send(mail, patient())
    expect(result).toEqual({ kind: 'deferred', error: expect.stringContaining('plain text is for loopback only') })
    expect([signedIn, server.seen]).toEqual([false, []])
  })

  it('begins with STARTTLS beyond loopback', async (test) => {
    const host = outside() ?? test.skip('this machine has no address but loopback')
    await using server = await TestSmtpServer.start({ ...certificates, disabledCommands: [] }, host)
    await using transport = transportFor(`smtp://${host}:${server.port}`, { smtp_tls_ca: file('ca.pem') })
    expect(await transport.send(mail, patient())).toEqual({ kind: 'sent' })
  })
})

describe('settings', () => {
  const settingsFor = (options: object) => smtpSettingsOf(parseSchedulerConfig(options))

  it('know loopback when they see it', () => {
    expect(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1'].every(isLoopbackHost)).toBe(true)
    expect(['127.evil.example', 'localhost.example', '10.0.0.1', '::2', 'mail'].some(isLoopbackHost)).toBe(false)
  })

  it.each([
    ['smtps://mail.example.org', { port: 465, encryption: 'tls' }],
    ['smtp://mail.example.org', { port: 587, encryption: 'starttls' }],
    ['smtp://mail.example.org:2525', { port: 2525, encryption: 'starttls' }],
    ['smtp://localhost', { port: 25, encryption: 'none' }],
    ['smtp://[::1]:2525', { host: '::1', encryption: 'none' }],
    ['smtps://localhost', { port: 465, encryption: 'tls' }],
  ])('of %s', (smtp_url, expected) => {
    expect(settingsFor({ smtp_url, mail_address: 'agents@example.org' })).toMatchObject(expected)
  })

  it('take no word against verification, and say nothing of the password', () => {
    const problem = (options: object) => {
      try {
        return settingsFor({ mail_address: 'agents@example.org', ...options })
      } catch (error) {
        return String(error)
      }
    }
    const url = 'smtps://ada:hush@mail.example.org'
    expect(problem({ smtp_url: `${url}?tls.rejectUnauthorized=false` })).toMatch(
      /smtp_url: must end after host and port/,
    )
    expect(problem({ smtp_url: 'smtps://ada:hush%@mail.example.org' })).toMatch(/written as %25/)
    expect(problem({ smtp_url: url, smtp_tls_ca: '/nowhere/ca.pem' })).toMatch(/smtp_tls_ca: ENOENT/)
    expect(problem({ smtp_url: url, smtp_tls_ca: import.meta.filename })).toMatch(/no certificate in PEM form/)
    expect(problem({ smtp_url: `${url}?a`, smtp_tls_ca: '/nowhere' })).not.toMatch('hush')
  })
})
