import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTranslator } from 'use-intl/core'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { LOCALES, type Locale } from '../../../contracts/i18n/languages.ts'

type Tree = { readonly [key: string]: string | Tree }

const flatten = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : flatten(value, `${path}${key}.`),
  )

/** Returns the arguments of an ICU message with their kinds ("count plural", "amount"), including those in branches. */
function argumentsOf(message: string): string[] {
  const found = new Set<string>()
  let at = 0
  const text = (): void => {
    while (at < message.length && message[at] !== '}') {
      if (message[at] === '{') argument()
      at += 1
    }
  }
  const argument = (): void => {
    const head = /^\{\s*(\w+)\s*(?:,\s*(\w+)\s*,?)?/.exec(message.slice(at))
    if (!head) throw new Error(`invalid message: ${message}`)
    found.add([head[1], head[2]].filter((part) => part !== undefined).join(' '))
    at += head[0].length
    // The branches follow, each a selector and a message in braces, until the argument's closing brace.
    while (message[at] !== '}') {
      if (at >= message.length) throw new Error(`unclosed brace: ${message}`)
      if (message[at] === '{') {
        at += 1
        text()
      }
      at += 1
    }
  }
  text()
  return [...found].sort()
}

describe('the message catalogs of both languages', () => {
  const english = new Map(flatten(CATALOGS['en-CA']))
  const french = new Map(flatten(CATALOGS['fr-CA']))

  test('have the same keys', () => {
    expect([...french.keys()].sort()).toEqual([...english.keys()].sort())
    expect(english.size).toBeGreaterThan(300)
  })

  test('have the same arguments in every message', () => {
    const different = [...english]
      .filter(([key, message]) => argumentsOf(message).join() !== argumentsOf(french.get(key) ?? '').join())
      .map(([key]) => key)
    expect(different).toEqual([])
    expect(argumentsOf('{count, plural, one {a mile of {amount}} other {#}} for {name}')).toEqual([
      'amount',
      'count plural',
      'name',
    ])
  })

  test('have no empty message, and no message in the other language by mistake', () => {
    const texts = (message: string): number => message.replaceAll(/\{[^}]*\}/g, '').match(/\p{L}+/gu)?.length ?? 0
    const sentences = [...english].filter(([, message]) => texts(message) > 2)
    expect(sentences.filter(([key, message]) => french.get(key) === message).map(([key]) => key)).toEqual([])
    expect([...english, ...french].filter(([, message]) => message.trim() === '').map(([key]) => key)).toEqual([])
  })

  test('reference only existing pages of the guides, and no section by its number, which may change', () => {
    const messages = [...english, ...french].map(([, message]) => message)
    const pages = new Set(messages.flatMap((message) => message.match(/docs\/[\w-]+\.md/g) ?? []))
    expect([...pages].filter((page) => !existsSync(join(import.meta.dirname, '../../..', page)))).toEqual([])
    expect(messages.filter((message) => /section \d/.test(message))).toEqual([])
  })

  test.each(LOCALES)('format every message of %s without an error', (locale) => {
    const faults: string[] = []
    const t = createTranslator({ locale, messages: CATALOGS[locale], onError: (error) => faults.push(error.message) })
    for (const [key, message] of flatten(CATALOGS[locale])) {
      const values = Object.fromEntries(
        argumentsOf(message).map((argument) => [argument.split(' ')[0], argument.includes(' ') ? 2 : 'x']),
      )
      ;(t as (key: string, values: Record<string, string | number>) => string)(key, values)
    }
    expect(faults).toEqual([])
  })
})

/** Maximum length of a message, because a cashier at a busy lane must read longer ones twice. */
const MAX_CHARACTERS = 90

const LONGER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['held-sale', 'return', 'voucher'].map((what) => [
      `errors.${what}-lanes-awaited`,
      'which lanes, what else can be done until then, and what the owner types where one is lost',
    ]),
  ),
  ...Object.fromEntries(
    [
      'enrolling.refused.neverHad',
      'screens.laneCheck.todoFor.autostart-no-program',
      'screens.laneCheck.todoFor.autostart-none',
      'screens.laneCheck.todoFor.autostart-off',
      'screens.laneCheck.todoFor.autostart-other-folder',
      'storeServer.changes.confirm',
      'storeServer.refused.changeUnknown',
      'storeServer.refused.nothingStranded',
      'storeServer.vouchers.without',
    ].map((key) => [key, 'a whole CLI command, to be typed as it is']),
  ),
  'exceptions.state.reversal-unanswered.todo':
    'a deadline in the middle of the night, whom to call by which number before it, and the one setting that causes it',
  'files.profile.notInCatalog': 'three kinds of names, of which one is shown',
  'files.value.entries': 'a choice and a plural: each result is three words',
  'installer.doctor.usage': 'the help page of a CLI command, laid out in lines of a terminal window',
  'installer.findTrace.usage': 'the help page of a CLI command, laid out in lines of a terminal window',
  'installer.provision.usage': 'the help page of a CLI command, laid out in lines of a terminal window',
  'installer.supportFile.usage': 'the help page of a CLI command, laid out in lines of a terminal window',
  'screens.laneCheck.ended': 'two counts, each also without items: each result is five words',
  'screens.laneCheck.found.key-store-away': 'one of two sentences is shown',
  'screens.queue.noticeMetAbout': 'six placeholders with two plural forms: on the screen it is half as long',
  'screens.tender.voucherNotSold': 'three kinds of paper carry such a code, and each has its own next step',
  'screens.wholeStore.lanes.awaitedUnknown':
    'a lane of which no number is known, by when it was added, and what waits for it',
}

const longMessages = (locale: Locale): string[] =>
  flatten(CATALOGS[locale])
    .filter(([, message]) => message.length > MAX_CHARACTERS)
    .map(([key]) => key)

test.each(LOCALES)(
  'messages of %s have at most 90 characters, or are listed with the reason for being longer',
  (locale) => {
    expect(longMessages(locale).filter((key) => !(key in LONGER))).toEqual([])
  },
)
test('the list of messages that may be long contains only messages that are long', () => {
  const long = new Set(LOCALES.flatMap(longMessages))
  expect(Object.keys(LONGER).filter((key) => !long.has(key))).toEqual([])
})
