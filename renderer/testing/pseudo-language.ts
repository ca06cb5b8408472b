import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js'
import type { Locator, Page } from '@playwright/test'
import atOnce from '../../contracts/i18n/en-CA/screens-at-once.ts'
import ofStore from '../../contracts/i18n/en-CA/screens-of-store.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

/**
 * A language that nobody speaks and that everybody can read: English with its letters accented and its words some 40 %
 * longer, as a translation may be. What a screen cuts off of it, it would cut off of the next language.
 *
 * The accents are those that the terminal's own font has: a letter of another font would measure that font.
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

/** Each letter that has an accent gets it, and stands twice. */
const longer = (words: string): string =>
  words.replaceAll(LETTERS, (letter) => `${accented(letter)}${accented(letter.toLowerCase())}`)

function spoken(parts: MessageFormatElement[]): MessageFormatElement[] {
  return parts.map((part): MessageFormatElement => {
    if (part.type === TYPE.literal) return { type: TYPE.literal, value: longer(part.value) }
    if (part.type === TYPE.tag) return { ...part, children: spoken(part.children) }
    if (part.type !== TYPE.plural && part.type !== TYPE.select) return part
    const options = Object.fromEntries(
      Object.entries(part.options).map(([name, option]) => [name, { ...option, value: spoken(option.value) }]),
    )
    return { ...part, options }
  })
}

/** A message of the catalog in the pseudo language: only its words change, never what is filled in or chosen by. */
export const pseudo = (message: string): string => printAST(spoken(parse(message)))

export type Catalog = { readonly [key: string]: string | Catalog }
export const pseudoCatalog = (catalog: Catalog): Catalog =>
  Object.fromEntries(
    Object.entries(catalog).map(([key, words]) => [
      key,
      typeof words === 'string' ? pseudo(words) : pseudoCatalog(words),
    ]),
  )

/** The English catalogs, each with a sentence of its alone: the file that it stands in is that catalog. */
const CATALOGS: readonly { readonly words: Catalog; readonly mark: string }[] = [
  { words: atOnce, mark: atOnce.customer.welcomeHint },
  { words: ofStore, mark: ofStore.reconciliation.intro },
]

/** Where a person reads English, the terminal serves the pseudo language: no screen knows. */
export async function speakPseudo(page: Page, terminal: FixtureTerminal, built: string): Promise<void> {
  const folder = join(built, 'assets')
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(scripts.map((name) => readFile(join(folder, name), 'utf8')))
  for (const { words, mark } of CATALOGS) {
    const [catalog, ...others] = scripts.filter((_, index) => texts[index]?.includes(mark))
    if (catalog === undefined || others.length > 0) throw new Error('an English catalog is not one file of the screens')
    terminal.scripts.set(`/assets/${catalog}`, `export default ${JSON.stringify(pseudoCatalog(words))}`)
  }
  readByEverybody(page)
}

/** An expression that finds its words as they are, and as the pseudo language writes them. */
export const inPseudoToo = ({ source, flags }: RegExp): RegExp =>
  new RegExp(
    // A class or an escaped sign is left as it stands.
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

/** Who looks for English words by an expression, as the fixtures do, finds them in the pseudo language. */
function readByEverybody(page: Page): void {
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
