import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('../processes/out-of-descriptors.mjs', import.meta.url))

it('without a descriptor left there are all figures but those that are read from files', async () => {
  const words = ['-c', 'ulimit -n 64 && exec "$@"', 'sh', process.execPath, program]
  const { stdout } = await promisify(execFile)('sh', words)
  const { why, figures } = JSON.parse(stdout)
  expect(why).toBe('EMFILE')
  expect(figures).toMatchObject({ heapUsedBytes: expect.any(Number), cpuMs: expect.any(Number) })
  expect(figures).not.toHaveProperty('openFileDescriptors')
  expect(figures).not.toHaveProperty('residentBytes')
})
