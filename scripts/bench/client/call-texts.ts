import { canaryOf, fillerOf, type Payload } from './payload.js'

export type Era = 'legacy' | 'modern' | 'none'

export const modernRevision = '2026-07-28'
export const legacyRevision = '2025-06-18'
export const clientInfo = { name: 'bench', version: '1' }

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': clientInfo,
}

/** The requests of one payload, written once but for id and canary. */
export class CallTexts {
  readonly payload: Payload
  readonly #filler: string
  readonly #head: string
  readonly #tail: string

  constructor(payload: Payload, tool: string, era: Era) {
    const filler = fillerOf(payload)
    const meta = era === 'modern' ? `,"_meta":${JSON.stringify(modernMeta)}` : ''
    const repeat = payload.repeat === 1 ? '' : `,"repeat":${payload.repeat}`
    this.payload = payload
    this.#filler = filler
    this.#head = `,"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":{"text":"`
    this.#tail = `${filler}"${repeat}}${meta}}}`
  }

  request(id: number): string {
    return `{"jsonrpc":"2.0","id":${id}${this.#head}${canaryOf(id)}${this.#tail}`
  }

  answerText(id: number): string {
    return `${canaryOf(id)}${this.#filler}`.repeat(this.payload.repeat)
  }
}
