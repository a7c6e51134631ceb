import { Readable } from 'node:stream'
import { QdaFailure } from '../failure.js'
import { LossList } from './loss-list.js'
import type { RefiCodebook, RefiSet } from './model.js'
import { type NewFile, writeNewFile } from './write-new-file.js'
import { writeCode, writeContainer, writeReferences } from './write-shared.js'
import { XmlWriter } from './write-xml.js'

/** Writes a codebook. Throws `EXPORT_FAILED/…`, also for one without codes, which the format can't express. */
export async function writeQdc(file: NewFile, codebook: RefiCodebook): Promise<LossList> {
  if (codebook.codes.length === 0)
    throw new QdaFailure('EXPORT_FAILED/WRITE_FAILED', 'There are no codes to export; create one first')
  const losses = new LossList()
  await writeNewFile(file, Readable.from(qdcText(codebook, losses)))
  return losses
}

/** The document of a codebook, piece by piece. Losses are complete when the last piece is out. */
export function* qdcText(codebook: RefiCodebook, losses: LossList): Generator<string> {
  const xml = new XmlWriter(losses)
  xml.open('CodeBook', [
    ['xmlns', 'urn:QDA-XML:codebook:1.0'],
    ['origin', codebook.origin],
  ])
  yield* writeContainer(xml, 'Codes', codebook.codes, (code) => writeCode(xml, code, false))
  yield* writeContainer(xml, 'Sets', codebook.sets, (set) => writeSet(xml, set, losses))
  xml.close()
  yield* xml.drain(0)
}

function writeSet(xml: XmlWriter, set: RefiSet, losses: LossList): undefined {
  const others = set.sources.length + set.notes.length
  if (others > 0) losses.add('Set', set.guid, `its ${others} sources and notes: a codebook has codes only`)
  xml.open('Set', [
    ['guid', set.guid],
    ['name', set.name],
  ])
  xml.textElement('Description', set.description)
  writeReferences(xml, 'MemberCode', set.codes, 'guid')
  xml.close()
}
