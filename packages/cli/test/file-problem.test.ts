import { expect, it } from 'vitest'
import { describeFileProblem } from '../src/file-problem.js'

const place = { runtimeDirectory: '/run/callboard', dataDirectory: '/data' }
const says = (properties: object) => describeFileProblem(Object.assign(new Error('no'), properties), place)

it('names path, problem and remedy, and the variable that moves the directory', () => {
  expect(says({ code: 'EISDIR', path: '/run/callboard/mcp.sock' })).toBe(
    '/run/callboard/mcp.sock is a directory where a file belongs (EISDIR): remove it, or set CALLBOARD_RUNTIME to another directory.',
  )
  expect(says({ code: 'ENOSPC', path: '/data/x' })).toMatch(/full \(ENOSPC\): free some space, or set CALLBOARD_DATA/)
  expect(says({ code: 'EACCES', path: '/elsewhere' })).toBe(
    '/elsewhere may not be used by this user (EACCES): change its owner or mode.',
  )
})

it('knows Node’s own names and ZeroMQ’s endpoints', () => {
  expect(says({ code: 'ERR_FS_EISDIR', path: '/run/callboard' })).toMatch(
    /^\/run\/callboard is a directory .*\(EISDIR\)/,
  )
  expect(says({ code: 'EADDRINUSE', address: 'ipc:///run/callboard/worker.sock' })).toMatch(
    /^\/run\/callboard\/worker\.sock is taken/,
  )
})

it.each([
  { code: 'EADDRINUSE', address: '127.0.0.1', port: 80 },
  { code: 'EISDIR' },
  { code: 'ERR_INVALID_ARG_TYPE', path: '/data' },
  {},
])('says nothing of %j', (properties) => {
  expect(says(properties)).toBeUndefined()
})
