import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { createTranslator } from 'use-intl/core'
import enScreens from '../../contracts/i18n/en-CA/screens.ts'
import frScreens from '../../contracts/i18n/fr-CA/screens.ts'
import config from '../../e2e/playwright.config.ts'
import { GROUPS } from '../actions/action.ts'
import { linesOfGroup } from '../actions/shortcut-lines.ts'
import { PAYMENTS } from '../sales/sale.ts'
import { keyName } from '../core/ui/key-names.ts'

/**
 * `npm run lab quick-card`: writes docs/quick-card.md and docs/quick-card.pdf, the cashier's quick card for the
 * counter: a sale in a few presses and every key, in both languages on one page. It is generated from the actions and
 * message catalogs, so that it matches the terminal.
 */
/** The screens' font, embedded so that the quick card prints the same on every machine. */
const LETTERS = fileURLToPath(import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'))
const STYLE = fileURLToPath(new URL('quick-card.css', import.meta.url))
const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))

export interface CardSide {
  readonly lang: 'en' | 'fr'
  readonly colon: string
  readonly title: string
  readonly saleTitle: string
  readonly sale: readonly { readonly step: string; readonly key: string | null }[]
  readonly troubleTitle: string
  readonly trouble: readonly string[]
  readonly groups: readonly {
    readonly title: string
    readonly lines: readonly { readonly text: string; readonly keys: readonly string[] }[]
  }[]
}

const TEXTS = {
  en: {
    colon: ':',
    title: 'Milepost: the cashier’s card',
    saleTitle: 'A sale',
    sale: [
      ['Scan the items', null],
      ['Swipe or scan the member’s card, at any time', null],
      ['Redeem the amount shown, if the customer wants to', 'F4'],
      ['Take exact cash; F6 for other cash, F7 for a card', 'F9'],
      ['Next customer, or simply scan the next item', 'Enter'],
    ],
    troubleTitle: 'When something is not right',
    trouble: [
      'NOT APPLIED: the miles pay nothing. Ask for another payment; the manager’s queue settles the rest.',
      'A redemption is in progress: wait until it ends. Do not swipe the card again.',
      'The terminal restarted: the sale is still there, with the outcome of its redemption.',
      'A yellow entry in the bar above: press it to see what to do.',
    ],
  },
  fr: {
    colon: '\u00a0:',
    title: 'Milepost : la carte du caissier',
    saleTitle: 'Une vente',
    sale: [
      ['Balayez les articles', null],
      ['Glissez ou balayez la carte de l’adhérent, à tout moment', null],
      ['Échangez le montant affiché, si le client le veut', 'F4'],
      ['Encaissez le comptant exact; F6 : autre montant, F7 : carte', 'F9'],
      ['Client suivant, ou balayez simplement l’article suivant', 'Enter'],
    ],
    troubleTitle: 'Quand quelque chose ne va pas',
    trouble: [
      'NON APPLIQUÉ : les milles ne paient rien. Demandez un autre paiement; la file de la gérance règle le reste.',
      'Un échange de milles est en cours : attendez qu’il se termine. Ne glissez pas la carte de nouveau.',
      'Le terminal a redémarré : la vente est encore là, avec le résultat de l’échange.',
      'Du jaune dans la barre du haut : appuyez dessus pour voir quoi faire.',
    ],
  },
} as const

export function cardSides(): readonly [CardSide, CardSide] {
  const side = (lang: 'en' | 'fr'): CardSide => {
    const localize = createTranslator({ locale: `${lang}-CA`, messages: lang === 'en' ? enScreens : frScreens })
    const key = (name: string): string => keyName(name, localize)
    const { sale, ...texts } = TEXTS[lang]
    return {
      lang,
      ...texts,
      sale: sale.map(([step, name]) => ({ step, key: name === null ? null : key(name) })),
      groups: GROUPS.map((group) => ({
        title: localize(`shortcuts.${group}`),
        lines: linesOfGroup(group, localize, { training: false, payments: PAYMENTS }).map((line) => ({
          text: line.text,
          keys: line.keys.map(key),
        })),
      })),
    }
  }
  return [side('en'), side('fr')]
}

const caps = (keys: readonly string[], around: (key: string) => string): string => keys.map(around).join(' ')

export function cardMarkdown(sides: readonly CardSide[]): string {
  const cap = (key: string): string => `\`${key.replaceAll('|', '\\|')}\``
  const sections = sides.map(({ title, colon, saleTitle, sale, troubleTitle, trouble, groups }) =>
    [
      `## ${title}`,
      `### ${saleTitle}`,
      sale.map(({ step, key }, at) => `${at + 1}. ${step}${key === null ? '' : `${colon} ${cap(key)}`}`).join('\n'),
      `### ${troubleTitle}`,
      trouble.map((line) => `- ${line}`).join('\n'),
      ...groups.map(
        (group) =>
          `### ${group.title}\n\n| | ` +
          `|\n|---|---|\n${group.lines.map(({ text, keys }) => `| ${text} | ${caps(keys, cap)} |`).join('\n')}`,
      ),
    ].join('\n\n'),
  )
  return (
    `# Quick card\n\nFor the counter: [the same on one page](quick-card.pdf). Made by \`npm run lab quick-card\` ` +
    `from the list of actions.\n\n${sections.join('\n\n')}\n`
  )
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const keycap = (key: string): string => `<kbd>${escaped(key)}</kbd>`

/**
 * Returns the quick card as a page for the printer: Letter, landscape. `letters` is the font as base64, `style` the
 * style sheet.
 */
function cardPage(sides: readonly CardSide[], letters: string, style: string): string {
  const halves = sides.map(({ lang, title, saleTitle, sale, troubleTitle, trouble, groups }) => {
    const steps = sale.map(
      ({ step, key }) => `<li><span>${escaped(step)}</span>${key === null ? '' : keycap(key)}</li>`,
    )
    const remedies = trouble.map((line) => `<li>${escaped(line)}</li>`)
    const keys = groups.flatMap((group) => [
      `<h2>${escaped(group.title)}</h2>`,
      ...group.lines.map((line) => `<p><span>${escaped(line.text)}</span><span>${caps(line.keys, keycap)}</span></p>`),
    ])
    return `
    <section lang="${lang}"><h1>${escaped(title)}</h1>
    <div class="top">
      <div><h2>${escaped(saleTitle)}</h2><ol>${steps.join('')}</ol></div>
      <div><h2>${escaped(troubleTitle)}</h2><ul>${remedies.join('')}</ul></div>
    </div>
    <div class="keys">${keys.join('')}</div></section>`
  })
  return `<!doctype html><meta charset="utf-8"><title>Milepost</title><style>
    @font-face {
      font-family: 'Inter Variable';
      font-weight: 100 900;
      src: url('data:font/woff2;base64,${letters}') format('woff2');
    }
    ${style}
  </style><body>${halves.join('')}</body>`
}

export async function writeQuickCard(): Promise<void> {
  const sides = cardSides()
  await mkdir(DOCS, { recursive: true })
  await writeFile(path.join(DOCS, 'quick-card.md'), cardMarkdown(sides))
  const browser = await chromium.launch(config.use?.launchOptions ?? {})
  try {
    const page = await browser.newPage()
    await page.setContent(cardPage(sides, await readFile(LETTERS, 'base64'), await readFile(STYLE, 'utf8')))
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    await page.pdf({ path: path.join(DOCS, 'quick-card.pdf'), preferCSSPageSize: true, tagged: true })
  } finally {
    await browser.close()
  }
  process.stdout.write(`${path.join(DOCS, 'quick-card.pdf')}\n`)
}

if (import.meta.main) await writeQuickCard()
