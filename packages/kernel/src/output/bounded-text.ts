/** Collects the beginning of a text of unknown length. Chunks may be used again by the caller. */
export function boundedText(bytesMax: number): { readonly push: (chunk: Buffer) => void; readonly text: () => string } {
  const chunks: Buffer[] = []
  let length = 0
  return {
    push: (chunk) => {
      if (length < bytesMax) chunks.push(Buffer.from(chunk.subarray(0, bytesMax - length)))
      length += chunk.length
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}
