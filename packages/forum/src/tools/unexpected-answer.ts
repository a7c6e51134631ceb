import { ForumFailure } from '../failure/forum-failure.js'

/** The forum answered, but not with what was asked for: `what` is missing, e.g. `the topic`. */
export function unexpectedAnswer(what: string): ForumFailure {
  return new ForumFailure(
    'unexpected_response',
    `The forum's answer does not have ${what} in it. Its version may be one that this tool does not know, or something stands between.`,
  )
}
