import type english from '../i18n/en-CA/files.ts'

type Expected = keyof (typeof english)['expected']

/** What a schema says of a setting that it refuses: the name of the words that every language has for it. */
export const expected = (what: Expected): `expected.${Expected}` => `expected.${what}`

export const isExpected = (message: string): message is `expected.${Expected}` => message.startsWith('expected.')
