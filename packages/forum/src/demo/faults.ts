/** Something that goes wrong with requests that match, so many times. */
export type Fault = {
  /** On `METHOD path`, the path with its query and without the base path. */
  readonly on: RegExp
  /** Default 1; `Infinity` for always. */
  readonly times?: number
} & FaultKind

export type FaultKind =
  /** Answers this in place of doing it. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly json?: unknown
      readonly text?: string
      readonly html?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Does it, and cuts the connection in place of an answer. */
  | { readonly kind: 'cut' }
  /** Cuts the connection without doing it. */
  | { readonly kind: 'drop' }
  /** Does it, answers with half a body, and cuts. */
  | { readonly kind: 'cut-body' }
  /** Does it, and answers when released. */
  | { readonly kind: 'hold' }
  /** Does it and answers when released, if somebody still waits for it then. */
  | { readonly kind: 'stall' }
  /** Does it, and answers that it went wrong. */
  | {
      readonly kind: 'done-then-status'
      readonly status: number
      readonly json?: unknown
      readonly text?: string
      readonly html?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** 200 with a page for people. */
  | { readonly kind: 'html'; readonly html?: string }
  | {
      readonly kind: 'rate-limit'
      /** `json`: one action; `text`: the whole address; `search`: without any header. */
      readonly shape: 'json' | 'text' | 'search'
      readonly seconds: number
      /** `Retry-After` as a date by the forum's clock, in place of seconds. */
      readonly date?: boolean
    }
  /** Answers with all headers of the request, as a proxy's error page may. */
  | { readonly kind: 'echo'; readonly status?: number }

/** Faults that are still to come; the first that matches is used up first. */
export class Faults {
  #left: { readonly fault: Fault; times: number }[] = []

  add(fault: Fault): void {
    this.#left.push({ fault, times: fault.times ?? 1 })
  }

  clear(): void {
    this.#left = []
  }

  take(methodAndPath: string): Fault | undefined {
    const found = this.#left.find(({ fault, times }) => times > 0 && matches(fault.on, methodAndPath))
    if (found === undefined) return undefined
    found.times -= 1
    this.#left = this.#left.filter(({ times }) => times > 0)
    return found.fault
  }
}

/** Whatever flags it has: a global expression would remember where it was. */
export const matches = (expression: RegExp, text: string): boolean => text.search(expression) >= 0
