import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LossList } from '../../src/refi/loss-list.js'
import type { RefiCodebook } from '../../src/refi/model.js'
import { qdcText, writeQdc } from '../../src/refi/write-qdc.js'
import { arbitraryCodebook } from './support/arbitrary-project.js'
import { readCodebookText } from './support/read-document.js'
import { structureProblems } from './support/structure-validator.js'

function written(codebook: RefiCodebook): string {
  return [...qdcText(codebook, new LossList())].join('')
}

test('every codebook is a valid document that reads as the same codebook, and is then written the same', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCodebook, async (codebook) => {
      const document = written(codebook)
      expect(structureProblems(document)).toEqual([])
      const read = await readCodebookText(document)
      expect(read.losses.listed).toEqual([])
      expect(read.codebook).toEqual(codebook)
      expect(written(read.codebook)).toBe(document)
    }),
  )
})

test('a codebook of nothing is refused, for the format has none', async () => {
  await expect(
    writeQdc({ path: '/nowhere', overwrite: false }, { origin: null, codes: [], sets: [] }),
  ).rejects.toMatchObject({
    code: 'EXPORT_FAILED/WRITE_FAILED',
    message: expect.stringContaining('no codes'),
  })
})
