import { errorBytesMax, errorLastLineBytesMax } from '../limits.js'
import { characterAround } from '../output/characters.js'
import { TerminalText } from '../output/terminal-text.js'

export interface CutText {
  readonly text: string
  readonly omittedBytes: number
}

/** The beginning, whole characters only. */
export function cutEnd(text: string, bytesMax: number): CutText {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return { text, omittedBytes: 0 }
  const kept = bytes.subarray(0, characterAround(bytes, bytesMax))
  return { text: kept.toString('utf8'), omittedBytes: bytes.length - kept.length }
}

/** Cuts the middle as the harness of Python does: the last line says most and stays whole, as far as that is possible. */
export function cutError(text: string): CutText {
  const bytes = Buffer.from(text)
  if (bytes.length <= errorBytesMax) return { text, omittedBytes: 0 }
  const lastAt = bytes.lastIndexOf(0x0a) + 1
  const trace = bytes.subarray(0, Math.max(0, lastAt - 1))
  const headEnd = characterAround(trace, Math.min(trace.length, Math.floor(errorBytesMax / 3)))
  const tailAt = characterAround(trace, Math.max(headEnd, trace.length - (errorBytesMax - headEnd)))
  const last = cutLine(bytes.subarray(lastAt))
  const omittedBytes = tailAt - headEnd + last.omittedBytes
  const lost = omittedBytes > 0 ? `[... ${omittedBytes} bytes omitted ...]` : ''
  const parts = [trace.toString('utf8', 0, headEnd), lost, trace.toString('utf8', tailAt), last.text]
  return { text: parts.filter((part) => part !== '').join('\n'), omittedBytes }
}

/** As a terminal would show it: kernels colour their tracebacks. */
export function withoutEscapes(text: string): string {
  const pieces: Buffer[] = []
  const terminal = new TerminalText((bytes) => pieces.push(Buffer.from(bytes)))
  terminal.push(Buffer.from(text))
  terminal.end()
  return Buffer.concat(pieces).toString('utf8')
}

function cutLine(line: Buffer): CutText {
  if (line.length <= errorLastLineBytesMax) return { text: line.toString('utf8'), omittedBytes: 0 }
  const half = errorLastLineBytesMax / 2
  const headEnd = characterAround(line, half)
  const tailAt = characterAround(line, line.length - half)
  return {
    text: `${line.toString('utf8', 0, headEnd)} ... ${line.toString('utf8', tailAt)}`,
    omittedBytes: tailAt - headEnd,
  }
}
