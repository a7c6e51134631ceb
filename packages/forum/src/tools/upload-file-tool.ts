import { z } from 'zod'
import type { ForumConfig } from '../config/forum-config.js'
import { ForumFailure } from '../failure/forum-failure.js'
import { idAt, integerAt, textAt } from '../json/read-json.js'
import { pathLengthMax } from '../limits.js'
import { bytesOfBase64 } from '../uploads/base64-file.js'
import { readLocalFile, type UploadedFile } from '../uploads/local-file.js'
import { writeInput } from '../writes/write-shape.js'
import { textOf } from './common-input.js'
import { writeTool } from './forum-tool.js'
import { unexpectedAnswer } from './unexpected-answer.js'

interface Given {
  readonly url?: string | undefined
  readonly image_data?: string | undefined
  readonly filename?: string | undefined
}

export const uploadFileTool = ({ config }: { readonly config: Pick<ForumConfig, 'allowedUploadPaths'> }) =>
  writeTool({
    name: 'discourse_upload_file',
    title: 'Upload a file',
    description:
      'Uploads a file to the forum: one on the machine of this worker, or image_data. It is seen once a post has it: put ' +
      '![what it shows](short_url) into the raw of one. Which kinds of files, and how large, is up to the forum.',
    input: writeInput({
      url: textOf(1, pathLengthMax, 'Absolute path of a file, in a folder that the operator allows').optional(),
      image_data: z.string().min(1).describe('The content in base64, in place of url; needs filename').optional(),
      filename: z
        .string()
        .refine(isFilename, { error: 'must be a name of at most 255 characters, without / and \\' })
        .describe('E.g. figure.png; absent: that of the file')
        .optional(),
      upload_type: z
        .string()
        .regex(/^[a-z_]{1,50}$/)
        .default('composer')
        .describe('What it is for; composer: posts'),
    }),
    output: z.strictObject({
      id: z.int(),
      url: z.string(),
      short_url: z.string().nullable().describe('For Markdown'),
      original_filename: z.string(),
      extension: z.string().nullable(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      filesize: z.int().nullable().describe('Bytes'),
    }),
    marks: { destructiveHint: false, idempotentHint: false },
    // Under the same path may be another content by now; and the same content a forum stores once.
    equalCallsAreDifferent: true,
    prepare: (given) => fileOf(given, config.allowedUploadPaths),
    request: ({ upload_type }, _, file) => ({ method: 'POST', path: '/uploads.json', form: formOf(file, upload_type) }),
    effect(answer, _, __, file) {
      const id = idAt(answer, 'id')
      const url = textAt(answer, 'url')
      if (id === undefined || url === undefined) throw unexpectedAnswer('the uploaded file')
      return {
        output: {
          id,
          url,
          short_url: textAt(answer, 'short_url') ?? null,
          original_filename: textAt(answer, 'original_filename') ?? file.name,
          extension: textAt(answer, 'extension') ?? null,
          width: integerAt(answer, 'width') ?? null,
          height: integerAt(answer, 'height') ?? null,
          filesize: integerAt(answer, 'filesize') ?? null,
        },
      }
    },
    lookFirst: 'upload it once more, which does no harm: a forum stores the same content once.',
  })

async function fileOf({ url, image_data, filename }: Given, folders: readonly string[]): Promise<UploadedFile> {
  if ((url === undefined) === (image_data === undefined)) throw wrongSource('Give either url or image_data.', 'url')
  if (url !== undefined) {
    const file = await readLocalFile(url, folders)
    return { ...file, name: filename ?? file.name }
  }
  if (filename === undefined) throw wrongSource('image_data needs a filename.', 'filename')
  return { name: filename, bytes: bytesOfBase64(image_data ?? '') }
}

function formOf({ name, bytes }: UploadedFile, uploadType: string): FormData {
  const form = new FormData()
  form.set('upload_type', uploadType)
  // Older forums have another name for it.
  form.set('type', uploadType)
  form.set('synchronous', 'true')
  form.set('file', new File([bytes], name))
  return form
}

function isFilename(name: string): boolean {
  return /^[^/\\\p{Cc}]{1,255}$/u.test(name) && name !== '.' && name !== '..'
}

function wrongSource(message: string, path: string): ForumFailure {
  return new ForumFailure('invalid_arguments', message, { issues: [{ path, message }] })
}
