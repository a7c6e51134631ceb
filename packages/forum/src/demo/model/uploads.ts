import { createHash } from 'node:crypto'
import { uploadBytesMax } from '../limits.js'
import type { Upload } from './entities.js'
import { imageSize } from './image-size.js'

/** Files, newest last. Only the newest keep their content. */
export class Uploads {
  readonly all: Upload[] = []
  #lastId = 0
  #bytes = 0

  add(username: string, name: string, content: Buffer): Upload {
    const sha1 = createHash('sha1').update(content).digest('hex')
    const known = this.all.find((upload) => upload.sha1 === sha1)
    if (known !== undefined) return known
    const { width, height } = imageSize(content) ?? { width: null, height: null }
    const extension = extensionOf(name)
    const upload = {
      id: ++this.#lastId,
      name,
      extension,
      sha1,
      username,
      bytes: content.length,
      width,
      height,
      content,
    }
    this.all.push(upload)
    this.#bytes += content.length
    this.#forget()
    return upload
  }

  #forget(): void {
    for (const upload of this.all) {
      if (this.#bytes <= uploadBytesMax) return
      this.#bytes -= upload.content?.length ?? 0
      upload.content = null
    }
  }
}

export const extensionOf = (name: string): string => (/\.([A-Za-z0-9]+)$/.exec(name)?.[1] ?? '').toLowerCase()
