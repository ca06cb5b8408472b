import type english from '../i18n/en-CA/files.ts'

type Expected = keyof (typeof english)['expected']

/**
 * Error text of a schema for a setting that the schema refuses: the key of the text in the message catalogs that
 * describes the expected value.
 */
export const expected = (name: Expected): `expected.${Expected}` => `expected.${name}`

export const isExpected = (message: string): message is `expected.${Expected}` => message.startsWith('expected.')
