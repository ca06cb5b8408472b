import type { Format } from '../../i18n/format.ts'
import type { Words } from '../../i18n/message-key.ts'

/** What is said of one thing, and what. */
export type Fact = readonly [name: string, value: string]

/** The words and formats of one language. */
export interface Speech {
  readonly t: Words
  readonly format: Format
}
