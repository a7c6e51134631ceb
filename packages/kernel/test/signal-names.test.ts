import { expect, it } from 'vitest'
import { throughWrapper } from '../src/isolation/contained-process.js'

it('an abort in a sandbox is named as everybody knows it', () => {
  expect(throughWrapper({ code: 128 + 6, signal: null })).toMatchObject({ code: null, signal: 'SIGABRT' })
})
