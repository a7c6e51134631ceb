export * from './limits.js'
export type * from './messages.js'
