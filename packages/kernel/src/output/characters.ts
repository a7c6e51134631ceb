/** UTF-8 as text; lone bytes become U+FFFD. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Where the last complete UTF-8 character ends. */
export function characterEnd(bytes: Uint8Array): number {
  const begun = bytes.length - lengthOfBegun(bytes, bytes.length)
  return begun < bytes.length ? begun : bytes.length
}

/** Where the first whole character begins; what is before it is the rest of one. */
export function characterStart(bytes: Uint8Array): number {
  let start = 0
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start]!)) start += 1
  return start
}

/** `at`, or where the character begins that `at` would split. */
export function characterAround(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length || !isContinuation(bytes[at]!)) return at
  return at - lengthOfBegun(bytes, at)
}

/** How many bytes before `end` are the beginning of a character that needs more than those. */
function lengthOfBegun(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
