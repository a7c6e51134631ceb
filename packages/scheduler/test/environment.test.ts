import { expect, it } from 'vitest'
import { readEnvironment } from '../src/environment.js'

it('what was named is taken, the rest has its default', () => {
  const runtimeDirectory = expect.stringMatching(/\/callboard-\d+$/)
  expect(readEnvironment({})).toEqual({ variables: {}, runtimeDirectory, logLevel: 'info' })
  expect(readEnvironment({ XDG_RUNTIME_DIR: '/run/user/7' }).runtimeDirectory).toBe('/run/user/7/callboard')
  const variables = { CALLBOARD_RUNTIME: '/run/c', CALLBOARD_LOG_LEVEL: 'warn', TZ: 'Europe/Paris', CALLBOARD_URL: '' }
  expect(readEnvironment(variables)).toEqual({
    variables,
    runtimeDirectory: '/run/c',
    logLevel: 'warn',
    timeZone: 'Europe/Paris',
  })
})

it('the address of HTTP is known when it was given, and then only', () => {
  const hubUrl = (CALLBOARD_HTTP: string) => readEnvironment({ CALLBOARD_HTTP }).hubUrl
  expect(hubUrl('127.0.0.1:9000')).toBe('http://127.0.0.1:9000')
  expect(hubUrl('[::1]:9000')).toBe('http://[::1]:9000')
  for (const none of ['off', '', '127.0.0.1:0', '127.0.0.1', '%:1']) expect(hubUrl(none)).toBeUndefined()
  expect(readEnvironment({ CALLBOARD_HTTP: 'off', CALLBOARD_URL: 'https://hub.example' }).hubUrl).toBe(
    'https://hub.example',
  )
})
