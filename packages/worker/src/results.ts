import type { Content } from './api.js'

const brand: unique symbol = Symbol('callboard.result')

/** Value and content together; made by {@link result}. */
export interface Result<Output> {
  readonly [brand]: true
  readonly value?: Output
  readonly content?: readonly Content[]
  readonly isError?: boolean
  readonly meta?: { readonly [key: string]: unknown }
}

export interface ResultParts<Output> {
  /** Becomes structuredContent; checked against the tool's `output`. */
  readonly value?: Output
  /** What the agent reads; default: the value as JSON text. */
  readonly content?: Content | readonly Content[]
  readonly isError?: boolean
  /** The result's `_meta`. */
  readonly meta?: { readonly [key: string]: unknown }
}

/** A tool's result with more than a plain value: `result({ value, content: text('3 rows') })`. */
export function result<Output = never>(parts: ResultParts<Output>): Result<Output> {
  const { content, ...rest } = parts
  return { ...rest, ...(content === undefined ? {} : { content: asList(content) }), [brand]: true }
}

export function text(value: string): Content {
  return { type: 'text', text: value }
}

export function isResult(value: unknown): value is Result<unknown> {
  return typeof value === 'object' && value !== null && brand in value
}

function asList(content: Content | readonly Content[]): readonly Content[] {
  return Array.isArray(content) ? content : [content as Content]
}
