import fc from 'fast-check'

const pieces = [
  ...[
    'a',
    'Word',
    ' ',
    '. ',
    '! ',
    '?',
    '。',
    '…',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '\0',
    'e.g. ',
    'é',
    'ß',
    'İ',
    '語',
    'ไทย',
    '한국어',
  ],
  ...[
    '\u0301',
    '\u200d',
    '\ufe0f',
    '\u20e3',
    '\ud83d',
    '\udc00',
    '\ufeff',
    '\u202e',
    '🔥',
    '👩',
    '👩‍👩‍👧‍👧',
    '🇩🇪',
    '🇩',
    '🏽',
    '#️⃣',
  ],
  ...[
    '@user',
    '@user@host.example',
    '#tag',
    'https://example.com/?q=1',
    'example.com',
    'http://',
    '&amp;',
    '<p>',
    '<a href="',
  ],
]

/** Everything that has ever broken a program that counts or cuts: half surrogates, joiners, marks, controls, bits of URLs. */
export const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 120 })
    .map((all) => all.join('')),
)
