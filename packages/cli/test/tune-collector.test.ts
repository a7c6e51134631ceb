import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const built = fileURLToPath(new URL('../dist/tune-collector.js', import.meta.url))
const tuned = `(await import(${JSON.stringify(built)})).tuneCollector()`

function figureOf(program: string, before: string): number {
  // Its threads would make the sizes depend on what else the machine does.
  const args = ['--single-threaded-gc', '--input-type=module', '-e', `${before}\n${program}`]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

it('gives young objects all of their space in one step', () => {
  const sizesOfTheirSpace = `
    const { getHeapSpaceStatistics } = await import('node:v8')
    const [alive, sizes] = [[], new Set()]
    for (let turn = 0; turn < 400; turn += 1) {
      alive[turn % 20] = Array.from({ length: 1000 }, (_, index) => ({ index, text: [turn, index] }))
      sizes.add(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size)
    }
    console.log(sizes.size)
  `
  expect(figureOf(sizesOfTheirSpace, tuned)).toBeLessThan(figureOf(sizesOfTheirSpace, ''))
})
