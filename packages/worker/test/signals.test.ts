import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { stopOnSignals } from '../src/signals.js'

test('the first signal drains, the second stops at once, and the handlers come off again', () => {
  const source = new EventEmitter()
  const done: string[] = []
  const worker = { drain: () => void done.push('drain'), stopNow: () => void done.push('stop') }
  const release = stopOnSignals(worker, source as unknown as NodeJS.Process)
  source.emit('SIGTERM')
  source.emit('SIGINT')
  expect(done).toEqual(['drain', 'stop'])
  release()
  expect(source.eventNames()).toEqual([])
})
