import { streamBytesMax } from '../limits.js'
import type { StreamName } from '../runtime/runtime.js'
import { HeadAndTail } from './head-and-tail.js'
import { type ReadableText, readableText } from './readable-text.js'
import { type ReadableOutput, RunOutput } from './run-output.js'
import type { RunSpool } from './run-spool.js'
import type { ResumedStream } from './stream-output.js'

/** Columns of a run's row. The byte counts are null when the worker ended before the run did. */
export interface StoredTexts {
  readonly stdout: string | null
  readonly stderr: string | null
  readonly stdoutBytes: number | null
  readonly stderrBytes: number | null
}

/** The output of a run that this worker has not in memory: from its row, and from its files where it was longer. */
export async function openStoredOutput(row: StoredTexts, spool: RunSpool): Promise<ReadableOutput> {
  const [stdout, stderr] = await Promise.all([
    openStream('stdout', row.stdout, row.stdoutBytes, spool),
    openStream('stderr', row.stderr, row.stderrBytes, spool),
  ])
  return { stdout, stderr }
}

/** The same, to be added to. Undefined when its whole text is not there: then nothing can be put behind it. */
export async function resumeOutput(row: StoredTexts, spool: RunSpool): Promise<RunOutput | undefined> {
  const stdout = await resumeStream('stdout', row.stdout, row.stdoutBytes, spool)
  const stderr = await resumeStream('stderr', row.stderr, row.stderrBytes, spool)
  return stdout && stderr && new RunOutput(() => {}, spool, { stdout, stderr })
}

async function resumeStream(
  name: StreamName,
  text: string | null,
  totalBytes: number | null,
  spool: RunSpool,
): Promise<ResumedStream | undefined> {
  if (totalBytes === null) return undefined
  const { first, last } = HeadAndTail.needed(totalBytes)
  if (isWhole(text, totalBytes)) {
    const bytes = Buffer.from(text)
    return { kept: HeadAndTail.resumed(totalBytes, bytes.subarray(0, first), bytes.subarray(first)), file: undefined }
  }
  if ((await spool.sizeOf(name)) !== totalBytes) return undefined
  const head = await spool.readPart(name, 0, first)
  const tail = await spool.readPart(name, totalBytes - last, last)
  if (head.length + tail.length !== first + last) return undefined
  return { kept: HeadAndTail.resumed(totalBytes, head, tail), file: spool.file(name, totalBytes) }
}

/** Longer texts, and those that a column cannot hold as they were, are in a file. */
function isWhole(text: string | null, totalBytes: number | null): text is string {
  return text !== null && totalBytes === Buffer.byteLength(text) && totalBytes <= streamBytesMax
}

async function openStream(
  name: StreamName,
  text: string | null,
  totalBytes: number | null,
  spool: RunSpool,
): Promise<ReadableText> {
  if (isWhole(text, totalBytes)) return readableText(text)
  const fileBytes = await spool.sizeOf(name)
  // A short text with lone bytes, whose file is gone: as the row shows it is all there is.
  if (fileBytes === 0 && (totalBytes ?? 0) <= streamBytesMax) return readableText(text ?? '')
  return storedText(name, spool, fileBytes, Math.max(fileBytes, totalBytes ?? 0))
}

function storedText(name: StreamName, spool: RunSpool, fileBytes: number, totalBytes: number): ReadableText {
  const missing = totalBytes - fileBytes
  return {
    totalBytes,
    finalBytes: totalBytes,
    ended: true,
    loss:
      missing === 0
        ? null
        : `Of ${name}, ${missing} bytes after the first ${fileBytes} are not, or no longer, kept here.`,
    async readAt(offset, length) {
      const bytes = await spool.readPart(name, offset, Math.min(length, fileBytes - offset))
      return { offset: bytes.length > 0 ? offset : totalBytes, bytes }
    },
  }
}
