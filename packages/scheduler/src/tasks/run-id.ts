import { z } from 'zod'

export const runIdParameter = z
  .string()
  .regex(/^run_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be the id of a run, like run_01JQ8Z6W4N3V5T7R9P2M1K0H8F')
  .describe('From list_runs or list_tasks.')
