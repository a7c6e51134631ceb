import { expect, it } from 'vitest'
import { z } from 'zod'
import { parseKernelConfig } from '../src/config.js'
import { evalSpecFor } from '../src/tools/eval-tool.js'
import { waitSpecFor } from '../src/tools/wait-tool.js'

it('the schemas tell the defaults of this configuration', () => {
  const told = (section: object) => {
    const config = parseKernelConfig(section)
    const described = [evalSpecFor(config).input, waitSpecFor(config).input].map((input) => z.toJSONSchema(input))
    return JSON.stringify(described).match(/\d+ if absent/g)
  }
  expect(told({})).toEqual(['40 if absent', '600 if absent', '40 if absent'])
  expect(told({ foregroundS: 2, defaultTimeoutS: 3 })).toEqual(['2 if absent', '3 if absent', '2 if absent'])
})
