import { expect, test } from 'vitest'
import { ids, taguetteCodebook } from './support/program-packages.js'
import { readCodebookText } from './support/read-document.js'

const code = `<Code guid="${ids.code}" name="a" isCodable="true"/>`

test('a codebook of Taguette is flat, has GUIDs in upper case and an empty container', async () => {
  const { codebook, losses } = await readCodebookText(taguetteCodebook())
  expect(codebook).toMatchObject({
    origin: 'Taguette 1.4',
    codes: [{ guid: ids.code, name: 'Trust', description: 'd' }],
    sets: [],
  })
  expect(losses.count).toBe(0)
})

test.each([
  ['without a namespace', `<CodeBook><Codes>${code}</Codes></CodeBook>`],
  ['with codes that no container holds', `<CodeBook xmlns="urn:QDA-XML:codebook:1.0">${code}</CodeBook>`],
  ['with the namespace misspelt', `<CodeBook xmlns="urn:QDA-XML:codebook:1:0"><Codes>${code}</Codes></CodeBook>`],
  [
    'with members named as in projects',
    `<CodeBook><Codes>${code}</Codes><Sets><Set guid="${ids.note}" name="s"><MemberCode targetGUID="${ids.code}"/></Set></Sets></CodeBook>`,
  ],
])('a codebook %s is read', async (_what, document) => {
  const { codebook, losses } = await readCodebookText(document)
  expect(codebook.codes).toMatchObject([{ guid: ids.code, name: 'a' }])
  expect(codebook.sets.flatMap(({ codes }) => codes)).toEqual(document.includes('MemberCode') ? [ids.code] : [])
  expect(losses.count).toBe(0)
})

test('a project is no codebook', async () => {
  await expect(readCodebookText('<Project name="P"/>')).rejects.toMatchObject({ code: 'IMPORT_FAILED/INVALID_FILE' })
})
