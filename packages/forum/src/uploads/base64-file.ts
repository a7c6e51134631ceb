import { ForumFailure } from '../failure/forum-failure.js'
import { uploadBytesMax } from '../limits.js'

/** What is written in base64, also with line breaks. Throws a ForumFailure invalid_arguments. */
export function bytesOfBase64(data: string): Uint8Array<ArrayBuffer> {
  const plain = data.replace(/[\r\n]/g, '')
  if (plain.length > Math.ceil(uploadBytesMax / 3) * 4) throw badData(`has more than ${uploadBytesMax} bytes`)
  // Node reads whatever looks like it, and leaves out the rest.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain) || plain.length % 4 !== 0)
    throw badData('is not base64 (with padding, and without "data:")')
  const bytes = new Uint8Array(Buffer.from(plain, 'base64'))
  if (bytes.length > uploadBytesMax) throw badData(`has more than ${uploadBytesMax} bytes`)
  return bytes
}

function badData(message: string): ForumFailure {
  return new ForumFailure('invalid_arguments', `image_data ${message}.`, { issues: [{ path: 'image_data', message }] })
}
