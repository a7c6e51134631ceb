/** For bytes that stay for a while: a small piece of a large chunk would keep all of that in memory as long. */
export function ownBytes(bytes: Buffer): Buffer {
  return bytes.length * 4 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes
}
