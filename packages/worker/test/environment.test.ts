import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endpointProblem, readEnvironment } from '../src/environment.js'

describe('the environment', () => {
  test('names the endpoint, or the runtime directory that holds it', () => {
    const endpoint = (env: NodeJS.ProcessEnv) => readEnvironment(env).endpoint
    expect(endpoint({ CALLBOARD_HUB: 'tcp://127.0.0.1:5555', CALLBOARD_RUNTIME: '/r' })).toBe('tcp://127.0.0.1:5555')
    expect(endpoint({ CALLBOARD_RUNTIME: '/r', XDG_RUNTIME_DIR: '/x' })).toBe('ipc:///r/worker.sock')
    expect(endpoint({ XDG_RUNTIME_DIR: '/x' })).toBe('ipc:///x/callboard/worker.sock')
    expect(endpoint({})).toBe(`ipc://${join(tmpdir(), `callboard-${process.getuid?.()}`)}/worker.sock`)
  })

  test('holds the secret, or names the file that does', () => {
    const directory = mkdtempSync(join(tmpdir(), 'callboard-environment-'))
    const file = join(directory, 'secret')
    writeFileSync(file, 'from file\n')
    expect(readEnvironment({}).secret).toBeUndefined()
    expect(readEnvironment({ CALLBOARD_SIGN_IN_SECRET_FILE: file }).secret).toBe('from file')
    const both = { CALLBOARD_SIGN_IN_SECRET: 'direct', CALLBOARD_SIGN_IN_SECRET_FILE: file }
    expect(readEnvironment(both).secret).toBe('direct')
    rmSync(directory, { recursive: true })
  })

  test('that is wrong is refused with every problem at once', () => {
    const env = {
      CALLBOARD_HUB: 'http://x',
      CALLBOARD_LOG_LEVEL: 'loud',
      CALLBOARD_SIGN_IN_SECRET_FILE: '/nowhere/secret',
    }
    expect(() => readEnvironment(env)).toThrow(
      /CALLBOARD_HUB: must start[\s\S]*CALLBOARD_LOG_LEVEL: must be[\s\S]*CALLBOARD_SIGN_IN_SECRET_FILE: ENOENT/,
    )
  })

  test('that is wrong is told without the secret [CB-88]', () => {
    const secret = 'open sesame, thou of 32 random bytes'
    const env = { CALLBOARD_HUB: 'http://x', CALLBOARD_LOG_LEVEL: 'loud', CALLBOARD_SIGN_IN_SECRET: secret }
    expect(() => readEnvironment(env)).toThrow(/^((?!open sesame)[\s\S])*$/)
  })

  test('has a port in an address of the network', () => {
    expect(endpointProblem('tcp://192.0.2.1', true)).toMatch(/has no port: write tcp:\/\/HOST:PORT/)
    expect(endpointProblem('tcp://hub:', true)).toMatch(/has no port/)
    expect(endpointProblem('tcp://[2001:db8::1]:8766', true)).toBeUndefined()
  })

  test('keeps to the length of a socket path', () => {
    expect(endpointProblem(`ipc://${'x'.repeat(107)}`, false)).toBeUndefined()
    expect(endpointProblem(`ipc://${'x'.repeat(108)}`, false)).toMatch(/108 bytes/)
  })
})
