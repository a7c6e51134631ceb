import { failureOf, type PatientAgent, type Reply } from './patient-agent.js'

/** A program without MCP. */
export class FacadeAgent implements PatientAgent {
  readonly way = 'facade'
  readonly canAsk = true
  readonly doubleAnswers = 0
  readonly #url: string

  /** `url`: that of MCP at the hub. */
  constructor(url: string) {
    this.#url = new URL('/tools/', url).href
  }

  async ask(tool: string, args: { readonly [key: string]: unknown }): Promise<Reply> {
    try {
      const response = await fetch(this.#url + tool, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ arguments: args }),
      })
      return replyOf(response.status, (await response.json()) as Body)
    } catch (error) {
      return failureOf(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

interface Body {
  readonly success?: boolean
  readonly error?: string
  readonly error_code?: string
  readonly details?: { readonly code?: string }
  readonly [key: string]: unknown
}

/** The object that the tool returned stands for the result that holds it. */
function replyOf(status: number, body: Body): Reply {
  if (body.success !== false) return { kind: 'answer', answer: { result: { structuredContent: body } } }
  const code = body.details?.code ?? body.error_code ?? `http_${status}`
  return { kind: 'failure', code, message: body.error ?? '' }
}
