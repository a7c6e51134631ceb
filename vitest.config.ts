import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// Tests of one package see the sources of the others, so that a failing test never means a stale build.
export default defineConfig({
  resolve: {
    alias: [
      { find: '@callboard/worker/testing', replacement: source('packages/worker/src/testing/index.ts') },
      { find: '@callboard/worker/nearest-name', replacement: source('packages/worker/src/nearest-name.ts') },
      { find: '@callboard/worker/issue-words', replacement: source('packages/worker/src/issue-words.ts') },
      { find: '@callboard/worker/read-arguments', replacement: source('packages/worker/src/read-arguments.ts') },
      { find: '@callboard/worker/canonical-json', replacement: source('packages/worker/src/canonical-json.ts') },
      { find: '@callboard/worker/clock', replacement: source('packages/worker/src/clock.ts') },
      { find: '@callboard/worker/utc-text', replacement: source('packages/worker/src/utc-text.ts') },
      { find: '@callboard/worker/time-zone-name', replacement: source('packages/worker/src/time-zone-name.ts') },
      { find: '@callboard/worker/json-mistake', replacement: source('packages/worker/src/json-mistake.ts') },
      { find: '@callboard/store/testing', replacement: source('packages/store/src/testing/both-databases.ts') },
      { find: '@callboard/forum/demo', replacement: source('packages/forum/src/demo/index.ts') },
      { find: '@callboard/forum/config', replacement: source('packages/forum/src/config.ts') },
      { find: '@callboard/qda/demo', replacement: source('packages/qda/src/demo/index.ts') },
      { find: '@callboard/qda/config', replacement: source('packages/qda/src/config.ts') },
      { find: '@callboard/protocol/nearest-name', replacement: source('protocol/src/nearest-name.ts') },
      { find: '@callboard/protocol', replacement: source('protocol/src/index.ts') },
      { find: /^@callboard\/([a-z]+)$/, replacement: source('packages/$1/src/index.ts') },
    ],
  },
  test: {
    include: [
      'protocol/test/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    setupFiles: source('test/patience.ts'),
    // A bound for what hangs, not a measure: the machine may have other work.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
