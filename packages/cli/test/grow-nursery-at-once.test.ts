import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const built = fileURLToPath(new URL('../dist/grow-nursery-at-once.js', import.meta.url))

/** Objects that live a moment, as those of calls in flight; then the sizes that the space for young ones has had. */
const burst = `
  const { getHeapSpaceStatistics } = await import('node:v8')
  const [alive, sizes] = [[], new Set()]
  for (let turn = 0; turn < 400; turn += 1) {
    alive[turn % 20] = Array.from({ length: 1000 }, (_, index) => ({ index, text: [turn, index] }))
    sizes.add(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size)
  }
  console.log(JSON.stringify([...sizes]))
`

function nurserySizes(before: string): number[] {
  const args = ['--semi-space-growth-factor=2', '--input-type=module', '-e', `${before}\n${burst}`]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as number[]
}

it('gives young objects all of their space in one step', () => {
  const usual = nurserySizes('')
  const atOnce = nurserySizes(`(await import(${JSON.stringify(built)})).growNurseryAtOnce()`)
  expect(Math.max(...atOnce)).toBe(Math.max(...usual))
  expect(atOnce.length).toBeLessThan(usual.length)
})
