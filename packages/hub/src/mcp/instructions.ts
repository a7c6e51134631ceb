/** What a model should know of every hub, however it is configured: clients put it into the context of each session. */
export const instructions = [
  'The tools of this server come from several independent workers, and may come, change and go at any time: list them again when you are told so.',
  'A failed call has an error with code, message and retryable: only where that is true, repeat the call later.',
  'outcome_unknown means that the call may have had its effect: look before you repeat it.',
  'A result that is too large comes as resource links: read them by resources/read within ten minutes.',
  'Where search_tools and call_tool are listed, most tools are not: find them by search_tools, then use call_tool.',
].join(' ')
