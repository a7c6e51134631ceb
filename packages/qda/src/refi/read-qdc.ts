import { randomUUID } from 'node:crypto'
import { LossList } from './loss-list.js'
import type { RefiCodebook } from './model.js'
import { ElementReader } from './read-elements.js'
import { readXml } from './read-xml.js'
import { codebookShape } from './shapes-codebook.js'

export interface ReadQdc {
  readonly codebook: RefiCodebook
  readonly losses: LossList
}

/**
 * Reads a codebook. Throws `IMPORT_FAILED/INVALID_FILE`, `/REFUSED` or `/TOO_LARGE`. `documentUid`, a GUID, is what GUIDs are made
 * from where the document has none.
 */
export async function readQdc(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  documentUid: string = randomUUID(),
): Promise<ReadQdc> {
  const losses = new LossList()
  const reader = new ElementReader(codebookShape, losses, documentUid)
  await readXml(chunks, reader, 'The codebook')
  return { codebook: reader.value!, losses }
}
