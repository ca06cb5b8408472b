import type publishing from '../../contracts/i18n/en-CA/publishing.ts'

export type RefusalCode = keyof (typeof publishing)['refused']

/** All that the words of a refusal may name: one that has no place for it leaves it out. */
const NOTHING_NAMED = {
  file: '',
  folder: '',
  found: '',
  given: '',
  known: '',
  language: '',
  option: '',
  platform: '',
  platforms: '',
  reason: '',
  schema: '',
  version: '',
}
export type Facts = Readonly<Record<keyof typeof NOTHING_NAMED, string>>

/** What an installer has to mend before anything is published: a code of `publishing.refused` and what it names. */
export class PublishRefusal extends Error {
  override name = 'PublishRefusal'
  readonly code: RefusalCode
  readonly facts: Facts
  constructor(code: RefusalCode, facts: Partial<Facts> = {}) {
    super(code)
    this.code = code
    this.facts = { ...NOTHING_NAMED, ...facts }
  }
}
