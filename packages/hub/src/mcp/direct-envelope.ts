/** The parts of a line that calls a tool and nothing else. */
export interface DirectEnvelope {
  /** The request's id as it is written, which is also how its answer names it. */
  readonly id: string
  /** Of the params, which are still to be parsed. */
  readonly params: Buffer
}

/** A number or a string that needs no escapes, so that its text is its only one. */
const id = String.raw`(0|-?[1-9]\d{0,14}|"[ !#-[\]-~]{0,64}")`
/** As the SDKs of Python, Go, Rust and many others write it: the params last. */
const idFirst = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${id},"method":"tools/call","params":`)
/** As the SDK of TypeScript writes it: the params first. */
const paramsFirst = '{"method":"tools/call","params":'
const idLast = new RegExp(String.raw`,"jsonrpc":"2\.0","id":${id}\}$`)
/** More than an envelope takes on either side. */
const envelopeBytesMax = 160
const openingBrace = 0x7b
const closingBrace = 0x7d

/**
 * Finds the params of a `tools/call` without parsing the line. What is between the two ends is taken for one JSON object, and whoever
 * parses it finds out whether it is: text that parses as a whole cannot have ended the params before. Undefined: any other line.
 */
export function directEnvelope(line: Buffer): DirectEnvelope | undefined {
  if (line[line.length - 1] !== closingBrace) return undefined
  const head = line.toString('latin1', 0, Math.min(line.length, envelopeBytesMax))
  if (head.startsWith(paramsFirst)) {
    const tail = idLast.exec(line.toString('latin1', Math.max(paramsFirst.length, line.length - envelopeBytesMax)))
    return tail === null ? undefined : enveloped(line, paramsFirst.length, tail[0].length, tail[1]!)
  }
  const found = idFirst.exec(head)
  return found === null ? undefined : enveloped(line, found[0].length, 1, found[1]!)
}

function enveloped(line: Buffer, before: number, after: number, id: string): DirectEnvelope | undefined {
  const params = line.subarray(before, line.length - after)
  return params[0] === openingBrace && params[params.length - 1] === closingBrace ? { id, params } : undefined
}
