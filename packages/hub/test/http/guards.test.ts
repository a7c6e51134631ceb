import { describe, expect, it } from 'vitest'
import { RequestGuard } from '../../src/http/guards.js'

const guard = new RequestGuard({
  hosts: ['127.0.0.1', '::1', 'Workstation.local', '127.9.9.9'],
  origins: ['https://app.example', 'tauri://localhost'],
  publicUrl: 'https://callboard.example',
})

const codeOf = (host: string | undefined, origin?: string, port = 8765) =>
  guard.refusalOf({ host, origin }, port)?.code ?? 'allowed'

describe('the Host header', () => {
  it.each([
    'localhost:8765',
    'LOCALHOST:8765',
    '127.0.0.1:8765',
    '[::1]:8765',
    'workstation.local:8765',
    '127.9.9.9:8765',
    'callboard.example',
    'callboard.example:443',
  ])('may be %s', (host) => {
    expect(codeOf(host)).toBe('allowed')
  })

  it.each([
    undefined,
    '',
    ' ',
    'evil.example',
    'evil.example:8765',
    'localhost',
    'localhost:8766',
    'localhost:8765.evil.example',
    'localhost:8765@evil.example',
    'localhost.evil.example:8765',
    '127.0.0.1.nip.io:8765',
    '[::2]:8765',
    'user@localhost:8765',
    'localhost:8765/x',
    'localhost:8765?x',
    'localhost:8765#x',
    'localhost:8765\\x',
    'localhost:8765 x',
    'callboard.example:8765',
  ])('may not be %j', (host) => {
    expect(codeOf(host)).toBe('HOST_NOT_ALLOWED')
  })

  it('needs no port where ours is the one that HTTP implies', () => {
    expect(codeOf('localhost', undefined, 80)).toBe('allowed')
    expect(codeOf('localhost:80', undefined, 80)).toBe('allowed')
  })
})

describe('the Origin header', () => {
  it.each([
    undefined,
    'http://localhost',
    'http://localhost:3000',
    'https://127.0.0.1:8443',
    'http://[::1]:8765',
    'https://app.example',
    'tauri://localhost',
    'https://callboard.example',
  ])('may be %s', (origin) => {
    expect(codeOf('localhost:8765', origin)).toBe('allowed')
  })

  it.each([
    'null',
    '',
    'http://evil.example',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://user@localhost',
    'http://localhost/',
    'http://app.example',
    'https://app.example:8443',
    'https://sub.app.example',
    'file://',
    'other://localhost',
    'http://callboard.example',
  ])('may not be %j', (origin) => {
    expect(codeOf('localhost:8765', origin)).toBe('ORIGIN_NOT_ALLOWED')
  })

  it('is listed only when the configuration has it: others may ask, but read nothing in a browser', () => {
    expect(
      ['https://app.example', 'http://localhost:3000', 'https://callboard.example'].map((o) => guard.isListed(o)),
    ).toEqual([true, false, false])
  })
})
