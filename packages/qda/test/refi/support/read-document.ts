import type { ReadQdc } from '../../../src/refi/read-qdc.js'
import { readQdc } from '../../../src/refi/read-qdc.js'
import type { ReadQde } from '../../../src/refi/read-qde.js'
import { readQde } from '../../../src/refi/read-qde.js'

export const documentUid = 'aaaaaaaa-bbbb-5ccc-8ddd-eeeeeeeeeeee'

export function readProjectText(document: string): Promise<ReadQde> {
  return readQde([Buffer.from(document)], documentUid)
}

export function readCodebookText(document: string): Promise<ReadQdc> {
  return readQdc([Buffer.from(document)], documentUid)
}
