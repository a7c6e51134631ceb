import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LossList } from '../../src/refi/loss-list.js'
import type { RefiProject } from '../../src/refi/model.js'
import { qdeText } from '../../src/refi/write-qde.js'
import { arbitraryProject } from './support/arbitrary-project.js'
import { emptyProject, textSource } from './support/projects.js'
import { readProjectText } from './support/read-document.js'
import { structureProblems } from './support/structure-validator.js'

function written(project: RefiProject): { readonly document: string; readonly losses: LossList } {
  const losses = new LossList()
  return { document: [...qdeText(project, losses)].join(''), losses }
}

test('every project is a valid document that reads as the same project, and is then written the same', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryProject, async (project) => {
      const { document, losses } = written(project)
      expect(structureProblems(document)).toEqual([])
      expect(losses.count).toBe(0)
      const read = await readProjectText(document)
      expect(read.losses.listed).toEqual([])
      expect(read.project).toEqual(project)
      expect(written(read.project).document).toBe(document)
    }),
    { numRuns: 60 },
  )
})

test('a project of nothing is one element, without any container', () => {
  expect(written(emptyProject).document).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Project xmlns="urn:QDA-XML:project:1.0" name="Empty"/>',
  )
})

test('characters that XML can not hold are replaced, and named as a loss of their element', async () => {
  const source = textSource({ name: 'a\u0000b\uFFFE', description: '\uD800 and \u000B' })
  const { document, losses } = written({ ...emptyProject, sources: [source] })
  expect(losses.listed).toEqual([
    { element: 'TextSource', guid: source.guid, what: expect.stringMatching(/^2 characters of its name /) },
    { element: 'Description', guid: source.guid, what: expect.stringMatching(/^2 characters of its text /) },
  ])
  const [read] = (await readProjectText(document)).project.sources
  expect(read).toMatchObject({ name: 'a\uFFFDb\uFFFD', description: '\uFFFD and \uFFFD' })
})

test('a text is named as a file, even where the model has it inline', () => {
  const source = textSource({ content: { kind: 'inline', text: 'one\r\ntwo' } })
  const { document } = written({ ...emptyProject, sources: [source] })
  expect(document).toContain(`plainTextPath="internal://${source.guid}.txt"`)
  expect(document).not.toContain('PlainTextContent')
})

test('a rich text is named only where it is one', () => {
  const source = textSource({ richTextPath: { kind: 'internal', path: 'a.txt' } })
  const { document, losses } = written({ ...emptyProject, sources: [source] })
  expect(document).not.toContain('richTextPath')
  expect(losses.listed).toEqual([expect.objectContaining({ element: 'TextSource', guid: source.guid })])
})

test('graphs, which are only counted, are a loss', () => {
  const { document, losses } = written({ ...emptyProject, graphCount: 2 })
  expect(document).not.toContain('Graph')
  expect(losses.listed).toEqual([{ element: 'Graphs', guid: null, what: '2 graphs: graphs are not written' }])
})
