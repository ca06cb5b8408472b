import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js'
import type { Locator, Page } from '@playwright/test'
import atOnce from '../../contracts/i18n/en-CA/initial-screens.ts'
import ofStore from '../../contracts/i18n/en-CA/screens-of-store.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

/**
 * A pseudo-language for layout tests: English with accented letters and texts some 40 % longer, as a translation may
 * be. Content that a screen cuts off in it would be cut off in the next language.
 *
 * Only accents of the terminal's own font are used, because another font would have other widths.
 */
const ACCENTED: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  e: 'é',
  i: 'í',
  n: 'ñ',
  o: 'ó',
  u: 'ú',
  y: 'ý',
}
const LETTERS = /[aceinouy]/gi

const accented = (letter: string): string => {
  const small = ACCENTED[letter.toLowerCase()] ?? letter
  return letter === letter.toLowerCase() ? small : small.toUpperCase()
}

/** Replaces each letter that has an accented form by two accented ones. */
const longer = (messages: string): string =>
  messages.replaceAll(LETTERS, (letter) => `${accented(letter)}${accented(letter.toLowerCase())}`)

function translated(parts: MessageFormatElement[]): MessageFormatElement[] {
  return parts.map((part): MessageFormatElement => {
    if (part.type === TYPE.literal) return { type: TYPE.literal, value: longer(part.value) }
    if (part.type === TYPE.tag) return { ...part, children: translated(part.children) }
    if (part.type !== TYPE.plural && part.type !== TYPE.select) return part
    const options = Object.fromEntries(
      Object.entries(part.options).map(([name, option]) => [name, { ...option, value: translated(option.value) }]),
    )
    return { ...part, options }
  })
}

/** Translates a message to the pseudo-language: only its literal text, never its arguments or selectors. */
export const pseudo = (message: string): string => printAST(translated(parse(message)))

export type Catalog = { readonly [key: string]: string | Catalog }
export const pseudoCatalog = (catalog: Catalog): Catalog =>
  Object.fromEntries(
    Object.entries(catalog).map(([key, messages]) => [
      key,
      typeof messages === 'string' ? pseudo(messages) : pseudoCatalog(messages),
    ]),
  )

/** The English catalogs, each with a sentence that only it contains, which identifies its built file. */
const CATALOGS: readonly { readonly messages: Catalog; readonly mark: string }[] = [
  { messages: atOnce, mark: atOnce.app.openingLong },
  { messages: ofStore, mark: ofStore.reconciliation.intro },
]

export async function servePseudoLanguage(page: Page, terminal: FixtureTerminal, built: string): Promise<void> {
  const folder = join(built, 'assets')
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(scripts.map((name) => readFile(join(folder, name), 'utf8')))
  for (const { messages, mark } of CATALOGS) {
    const [catalog, ...others] = scripts.filter((_, index) => texts[index]?.includes(mark))
    if (catalog === undefined || others.length > 0) throw new Error('an English catalog is not one file of the screens')
    terminal.scripts.set(`/assets/${catalog}`, `export default ${JSON.stringify(pseudoCatalog(messages))}`)
  }
  matchPseudoToo(page)
}

/** Extends a regular expression for English texts so that it also matches the pseudo-language. */
export const inPseudoToo = ({ source, flags }: RegExp): RegExp =>
  new RegExp(
    // Only letters are replaced: character classes and escapes stay unchanged.
    source.replaceAll(/\\.|\[[^\]]*\]|[aceinouy]/gi, (part) =>
      part.length > 1 ? part : `(?:[${part}${accented(part)}]${accented(part.toLowerCase())}?)`,
    ),
    flags,
  )

function understood(asked: unknown): unknown {
  if (asked instanceof RegExp) return inPseudoToo(asked)
  if (typeof asked !== 'object' || asked === null || Object.getPrototypeOf(asked) !== Object.prototype) return asked
  return Object.fromEntries(
    Object.entries(asked).map(([key, value]) => [key, value instanceof RegExp ? inPseudoToo(value) : value]),
  )
}

function matchPseudoToo(page: Page): void {
  const found = Object.getPrototypeOf(page.locator('main')) as Locator
  for (const by of [page, found] as unknown as Record<string, (...asked: unknown[]) => unknown>[]) {
    for (const way of ['getByRole', 'getByText', 'filter']) {
      const plain = by[way]
      if (!plain) continue
      by[way] = function (this: unknown, ...asked: unknown[]) {
        return plain.apply(this, asked.map(understood))
      }
    }
  }
}
