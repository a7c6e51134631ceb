import { requireUser } from '../auth.js'
import { json } from '../http/answer.js'
import { missingParameter, notFound, unprocessable } from '../http/refusal.js'
import type { Upload } from '../model/entities.js'
import { extensionOf } from '../model/uploads.js'
import { type ForumRequest, get, post, type Route, type Site } from './route.js'

const allowed = ['jpg', 'jpeg', 'png', 'gif', 'heic', 'heif', 'webp', 'avif', 'txt', 'pdf']

export const uploadRoutes: readonly Route[] = [
  post('/uploads.json', upload),
  get('/uploads/default/original/1X/:name', ({ params }, { forum }) => {
    const found = forum.uploads.all.find((each) => fileName(each) === params['name'])
    if (found === undefined || found.content === null) throw notFound()
    return { status: 200, type: 'application/octet-stream', body: found.content }
  }),
]

function upload({ input, file, visitor }: ForumRequest, { forum, setting }: Site) {
  const user = requireUser(visitor)
  if (!input.has('upload_type') && !input.has('type')) throw missingParameter('upload_type')
  if (file === undefined) throw missingParameter('file')
  if (!allowed.includes(extensionOf(file.name))) {
    throw unprocessable([`Files of this kind can't be uploaded (authorized extensions: ${allowed.join(', ')}).`])
  }
  if (file.content.length === 0) throw unprocessable(['The file is empty.'])
  const base = new URL(setting.base())
  return json(uploadJson(forum.uploads.add(user.username, file.name, file.content), base.pathname.replace(/\/$/, '')))
}

const fileName = ({ sha1, extension }: Upload): string => `${sha1}.${extension}`

const uploadJson = (upload: Upload, basePath: string): object => ({
  id: upload.id,
  url: `${basePath}/uploads/default/original/1X/${fileName(upload)}`,
  original_filename: upload.name,
  filesize: upload.bytes,
  width: upload.width,
  height: upload.height,
  thumbnail_width: upload.width,
  thumbnail_height: upload.height,
  extension: upload.extension,
  short_url: `upload://${shortName(upload)}`,
  short_path: `${basePath}/uploads/short-url/${shortName(upload)}`,
  retain_hours: null,
  human_filesize: `${upload.bytes} Bytes`,
  dominant_color: null,
})

/** The hash in fewer letters. */
const shortName = ({ sha1, extension }: Upload): string =>
  `${Buffer.from(sha1, 'hex').toString('base64url').replace(/[-_]/g, '')}.${extension}`
