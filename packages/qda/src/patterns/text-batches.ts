import { patternBatchCountMax, patternBatchLength } from '../limits.js'

export interface SearchedText<Id> {
  readonly id: Id
  readonly text: string
}

/** In batches that are copied to a thread in a few milliseconds each, but for a text that is longer than that. */
export async function* batchesOf<Id>(
  texts: AsyncIterable<SearchedText<Id>> | Iterable<SearchedText<Id>>,
): AsyncGenerator<SearchedText<Id>[]> {
  let batch: SearchedText<Id>[] = []
  let length = 0
  for await (const text of texts) {
    if (batch.length > 0 && (length + text.text.length > patternBatchLength || batch.length === patternBatchCountMax)) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(text)
    length += text.text.length
  }
  if (batch.length > 0) yield batch
}
