/** Pixels of a PNG, GIF or JPEG. */
export function imageSize(content: Buffer): { readonly width: number; readonly height: number } | undefined {
  if (content.length < 24) return undefined
  if (content.toString('latin1', 1, 4) === 'PNG')
    return { width: content.readUInt32BE(16), height: content.readUInt32BE(20) }
  if (content.toString('latin1', 0, 4) === 'GIF8')
    return { width: content.readUInt16LE(6), height: content.readUInt16LE(8) }
  return content.readUInt16BE(0) === 0xffd8 ? jpegSize(content) : undefined
}

/** In the first segment that begins a frame. */
function jpegSize(content: Buffer): { readonly width: number; readonly height: number } | undefined {
  for (let at = 2; at + 9 < content.length && content[at] === 0xff; at += 2 + content.readUInt16BE(at + 2)) {
    const marker = content[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: content.readUInt16BE(at + 7), height: content.readUInt16BE(at + 5) }
  }
  return undefined
}
