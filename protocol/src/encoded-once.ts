import { MsgpackWriter, type Plain } from './msgpack-writer.js'

/**
 * For what heads have in common, as the caller and the client of all calls of a session: it is encoded now, and copied into
 * each head that has this very object for a field. It can't change any more.
 */
export function encodedOnce<Part extends object>(part: Part): Part {
  for (const value of Object.values(part)) Object.freeze(value)
  const writer = new MsgpackWriter(partBytes)
  writer.value(part as unknown as Plain)
  made.set(Object.freeze(part), writer.take())
  return part
}

/** Undefined: it was not encoded yet. */
export function bytesOf(part: object): Uint8Array | undefined {
  return made.get(part)
}

const made = new WeakMap<object, Uint8Array>()

const partBytes = 512
