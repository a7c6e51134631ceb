import { resultBytesMax } from '../../limits.js'
import { type CutText, cutEnd, cutError, withoutEscapes } from '../cut-text.js'
import type { Cell, CellEnd, MimeBundle } from '../runtime.js'
import type { Bundle, Failure, FromJupyter } from './contents.js'

/**
 * One execute_request, from what the kernel says about it to its CellEnd. Pure. It has ended when both the reply and the
 * idle status came, in whichever order: they travel by different sockets.
 */
export class RunningCell {
  readonly run: number
  readonly #cell: Cell
  /** Kernels that show the values of statements as displays, without a result (IRkernel). */
  readonly #valuesAreDisplays: boolean
  #started = false
  #idle = false
  #reply: (Failure & { readonly status: string }) | undefined
  #error: Failure | undefined
  #result: CutText | undefined

  constructor(cell: Cell, valuesAreDisplays: boolean) {
    this.run = cell.run
    this.#cell = cell
    this.#valuesAreDisplays = valuesAreDisplays
  }

  /** Whether the kernel has begun with the code: before that, a signal would be lost. */
  get hasStarted(): boolean {
    return this.#started
  }

  get isIdle(): boolean {
    return this.#idle
  }

  get isReplied(): boolean {
    return this.#reply !== undefined
  }

  /** Takes a message about this cell. What comes back is to be shown to the agent. */
  receive(message: FromJupyter): MimeBundle | undefined {
    this.#started ||= message.type !== 'status'
    switch (message.type) {
      case 'status':
        this.#idle ||= message.state === 'idle'
        return undefined
      case 'error':
        this.#error = message
        return undefined
      case 'execute_reply':
        this.#reply ??= message
        return undefined
      case 'execute_result':
        this.#takeValue(message.bundle)
        return beyondText(message.bundle) ? message.bundle : undefined
      case 'display_data':
      case 'update_display_data':
        if (!this.#valuesAreDisplays || hasImage(message.bundle)) return message.bundle
        this.#takeValue(message.bundle)
        return undefined
      case 'stream':
      case 'execute_input':
      case 'kernel_info_reply':
      case 'input_request':
        return undefined
    }
  }

  /** `asked`: somebody wanted this run to be interrupted. */
  end(asked: boolean, durationS: number): CellEnd {
    const outcome = this.#outcome(asked)
    const error = outcome === 'ok' ? undefined : cutError(this.#errorText(outcome))
    const result = outcome === 'ok' ? this.#result : undefined
    return {
      outcome,
      result: result?.text ?? null,
      error: error?.text ?? null,
      resultOmitted: result?.omittedBytes ?? 0,
      errorOmitted: error?.omittedBytes ?? 0,
      durationS,
      names: { added: [], changed: [], deleted: [] },
    }
  }

  #takeValue({ data }: Bundle): void {
    const text = textOf(data['text/plain'])
    if (text === undefined || this.#cell.resultMode === 'none') return
    const before = this.#cell.resultMode === 'all' ? this.#result : undefined
    if (before === undefined) {
      this.#result = cutEnd(text, resultBytesMax)
      return
    }
    // Once full, it stays as it is and only counts.
    const more = before.omittedBytes > 0 ? '' : `${before.text}\n${text}`
    const joined = cutEnd(more, resultBytesMax)
    this.#result =
      more === '' ? { text: before.text, omittedBytes: before.omittedBytes + 1 + Buffer.byteLength(text) } : joined
  }

  #outcome(asked: boolean): CellEnd['outcome'] {
    const status = this.#reply?.status ?? (this.#error ? 'error' : 'missing')
    switch (status) {
      case 'ok':
        return 'ok'
      // The first by specification, the second by IRkernel.
      case 'aborted':
      case 'abort':
      // IPython, when the signal finds it at work on its reply.
      case 'missing':
        return asked ? 'interrupted' : 'error'
      default:
        return asked && /interrupt/i.test(`${this.#failure?.ename} ${this.#failure?.evalue}`) ? 'interrupted' : 'error'
    }
  }

  get #failure(): Failure | undefined {
    return this.#error ?? (this.#reply?.status === 'error' ? this.#reply : undefined)
  }

  #errorText(outcome: 'error' | 'interrupted'): string {
    const failure = this.#failure
    if (failure) return tracebackOf(failure)
    const name = outcome === 'interrupted' ? 'Interrupted' : 'KernelError'
    if (!this.#reply) return `${name}: the kernel is done with the cell but did not say how it ended.`
    return `${name}: the kernel gave the cell up; it answered "${this.#reply.status}".`
  }
}

/** Ends with the name and the text of the error, as the traceback of most kernels does by itself. */
function tracebackOf({ ename, evalue, traceback }: Failure): string {
  const text = withoutEscapes(traceback.join('\n')).trimEnd()
  const last = withoutEscapes([ename, evalue].filter((part) => part !== '').join(': ')).trimEnd()
  if (text === '' || text.endsWith(last)) return text || last
  // IPython writes the colon also when nothing follows.
  return evalue === '' && text.endsWith(`${ename}:`) ? text.slice(0, -1) : `${text}\n${last}`
}

/** nbformat allows a list of lines. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : undefined
}

function beyondText({ data }: Bundle): boolean {
  return Object.keys(data).some((type) => type !== 'text/plain')
}

function hasImage({ data }: Bundle): boolean {
  return Object.keys(data).some((type) => type.startsWith('image/'))
}
