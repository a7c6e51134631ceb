import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout, Installation, untilSaid } from './support/installation.js'

it('the greeter runs as written, in about twenty lines', async () => {
  const file = join(checkout, 'examples/greeter/worker.js')
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(22)
  const installation = new Installation()
  const hub = installation.spawn(['hub'])
  await untilSaid(hub, hub.stderr, /hub is up/)
  const joined = untilSaid(hub, hub.stderr, /"service":"greeter".*worker joined/)
  const greeter = spawn(process.execPath, [file], { env: installation.environment, stdio: 'ignore' })
  await joined
  const called = await installation.run(['call', 'greet', 'name=Ada'])
  expect({ ...called, stdout: JSON.parse(called.stdout) }).toEqual({
    code: 0,
    stdout: { greeting: 'Hello Ada' },
    stderr: '',
  })
  greeter.kill('SIGTERM')
  expect(await once(greeter, 'exit')).toEqual([0, null])
})

it('every client snippet starts callboard stdio', () => {
  const directory = join(checkout, 'examples/clients')
  const files = [...readdirSync(directory).map((name) => join(directory, name)), join(checkout, '.mcp.json')]
  expect(files).toHaveLength(7)
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    if (file.endsWith('.json')) JSON.parse(text)
    expect(text).toMatch(/callboard(\.js)?",\s*"stdio"/)
  }
})
