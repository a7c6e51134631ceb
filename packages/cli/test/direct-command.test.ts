import { expect, it } from 'vitest'
import { directCommand } from '../src/direct-command.js'

it.each([['stdio'], ['up --on-demand'], ['worker kernel']])('knows what programs start: %s', (words) => {
  expect(directCommand(words.split(' '))).toBeTypeOf('function')
})

it.each([
  ['', 'ls', 'stdio --as ada', 'stdio --help', 'stdio more', 'up', 'up --http off', 'up --on-demand --http off'],
  ['worker', 'worker --help', 'worker -h', 'worker forum --allow_writes', 'worker forum --help', 'help stdio'],
])('leaves all else to the command line: %s', (...lines) => {
  for (const words of lines) expect(directCommand(words.split(' '))).toBeUndefined()
})
