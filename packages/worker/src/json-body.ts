/** Bodies are UTF-8 JSON. Throws what JSON.stringify throws: the value is this side's own. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value) ?? 'null')
}

/** The value, or undefined when the bytes are not JSON: they come from the peer. */
export function decodeJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(asBuffer(body).toString())
  } catch {
    return undefined
  }
}

/** The same bytes. */
function asBuffer(body: Uint8Array): Buffer {
  return body instanceof Buffer ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
