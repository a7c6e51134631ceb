import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isDeeper } from '../broker/definition.js'
import { definitionDepthMax } from '../broker/limits.js'
import { replaceFile } from '../replace-file.js'
import { acceptedPerNameMax, pinFileBytesMax, pinsMax } from './limits.js'

/** A definition that an operator accepted. */
export interface Pin {
  readonly identity: string
  readonly service: string
  readonly kind: 'tool' | 'resource' | 'resourceTemplate' | 'prompt'
  /** As agents see it. */
  readonly name: string
  /** Of all that agents see. */
  readonly hash: string
  /** UTC ms. */
  readonly acceptedAt: number
  /** What was accepted, to compare others with. */
  readonly listed: { readonly [key: string]: unknown }
  readonly roles?: readonly string[] | undefined
}

/** The file of accepted definitions can't be used; the message names it and says what helps. */
export class PinFileError extends Error {}

const format = z.strictObject({
  version: z.literal(1),
  pins: z
    .array(
      z.strictObject({
        identity: z.string().regex(/^(key|service):./),
        service: z.string().min(1),
        kind: z.enum(['tool', 'resource', 'resourceTemplate', 'prompt']),
        name: z.string(),
        hash: z.string().regex(/^[0-9a-f]{64}$/),
        acceptedAt: z.number().int().min(0),
        listed: z.record(z.string(), z.unknown()),
        roles: z.array(z.string()).optional(),
      }),
    )
    .max(pinsMax),
})

export const pinFileIn = (dataDirectory: string): string => join(dataDirectory, 'pins.json')

/** None, when there is no file. @throws PinFileError for one that is not whole: half of it would be a guess. */
export async function readPins(dataDirectory: string): Promise<readonly Pin[]> {
  const file = pinFileIn(dataDirectory)
  let handle: FileHandle | undefined
  try {
    if (!(await stat(file)).isFile()) throw broken(file, 'it is no file')
    handle = await open(file)
    if ((await handle.stat()).size > pinFileBytesMax) throw broken(file, `it has more than ${pinFileBytesMax} bytes`)
    return parsePins(await handle.readFile('utf8'), file)
  } catch (error) {
    if (error instanceof PinFileError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw broken(file, `it can't be read: ${code ?? error}`)
  } finally {
    await handle?.close()
  }
}

/** Readers see the file before or after. @throws PinFileError; then nothing has changed. */
export async function writePins(dataDirectory: string, pins: readonly Pin[]): Promise<void> {
  const file = pinFileIn(dataDirectory)
  const text = `${JSON.stringify({ version: 1, pins })}\n`
  if (pins.length > pinsMax || Buffer.byteLength(text) > pinFileBytesMax) {
    throw new PinFileError(`${file} is full: forget what nobody offers any more with "callboard tools forget".`)
  }
  try {
    await replaceFile(file, text)
  } catch (error) {
    throw new PinFileError(`${file} can't be written (${(error as NodeJS.ErrnoException).code ?? error}): mend that.`)
  }
}

/** With one more, the newest first; of one name the newest few. */
export function withPin(pins: readonly Pin[], pin: Pin): Pin[] {
  const ofName = (each: Pin) =>
    each.identity === pin.identity && each.service === pin.service && each.kind === pin.kind && each.name === pin.name
  const former = pins.filter((each) => ofName(each) && each.hash !== pin.hash).slice(0, acceptedPerNameMax - 1)
  return [pin, ...former, ...pins.filter((each) => !ofName(each))]
}

function parsePins(text: string, file: string): readonly Pin[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw broken(file, 'it is not JSON')
  }
  // Four levels are the file's own.
  if (isDeeper(value, definitionDepthMax + 4)) throw broken(file, 'it is too deep')
  const parsed = format.safeParse(value)
  if (parsed.success) return parsed.data.pins
  const { path, message } = parsed.error.issues[0]!
  throw broken(file, `${path.join('.') || 'the file'}: ${message}`)
}

const broken = (file: string, why: string): PinFileError =>
  new PinFileError(
    `The accepted definitions in ${file} are of no use (${why}): correct the file, or remove it and accept again; until then every definition is held back.`,
  )
