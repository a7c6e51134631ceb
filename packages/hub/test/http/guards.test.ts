import { describe, expect, it } from 'vitest'
import { RequestGuard } from '../../src/http/guards.js'

const guard = new RequestGuard(['127.0.0.1', '::1', '10.0.0.7'])

describe('RequestGuard', () => {
  it.each([
    [{ host: 'localhost:8765' }],
    [{ host: '127.0.0.1' }],
    [{ host: '[::1]:8765' }],
    [{ host: '10.0.0.7:8765' }],
    [{ host: 'LOCALHOST:1' }],
    [{ host: 'localhost', origin: 'http://localhost:3000' }],
    [{ host: 'localhost', origin: 'https://127.0.0.1' }],
  ])('lets %j pass', (headers) => {
    expect(guard.refusalOf(headers)).toBeUndefined()
  })

  it.each([
    [{}],
    [{ host: '' }],
    [{ host: 'evil.example' }],
    [{ host: 'localhost.evil.example' }],
    [{ host: 'localhost@evil.example' }],
    [{ host: 'evil.example/localhost' }],
    [{ host: 'localhost', origin: 'null' }],
    [{ host: 'localhost', origin: 'http://evil.example' }],
    [{ host: 'localhost', origin: 'http://10.0.0.7' }],
    [{ host: 'localhost', origin: 'http://localhost.evil.example' }],
    [{ host: 'localhost', origin: '' }],
  ])('refuses %j', (headers) => {
    expect(guard.refusalOf(headers)).toEqual(expect.any(String))
  })
})
