import { z } from 'zod'
import { cursorLengthMax } from '../limits.js'

export const sinceHoursInput = z.int().min(1).max(336).default(24).describe('How many hours back; at most 14 days.')

export const cursorInput = z
  .string()
  .min(1)
  .max(cursorLengthMax)
  .optional()
  .describe('For the next page: meta.pagination.next_token of this one.')

/** As `limit` of a list. */
export const limitInput = (max: number, usual: number) =>
  z.int().min(1).max(max).default(usual).describe('How many at most.')

/** Counted as JSON Schema does: an emoji is one. */
export function characters(max: number) {
  return z
    .string()
    .min(1)
    .refine((text) => text.length <= max || [...text].length <= max, `must have at most ${max} characters`)
    .meta({ maxLength: max })
}

const zoned = { offset: true, error: 'must be a time with its offset, like 2026-03-02T12:00:00Z' }

/** With seconds, or without. */
export const timeInput = z.union([z.iso.datetime(zoned), z.iso.datetime({ ...zoned, precision: -1 })])

/** Where nothing else says which calls are one: models give arguments, not headers. */
export const idempotencyKeyInput = z.string().min(1).max(128).optional()
