import { MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { expect, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { inTurn } from './in-turn.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
/** As a spreadsheet of a French-speaking office saves it. */
const FRENCH = Buffer.from(
  [
    HEAD,
    '1001,,Apples,Pommes,"7,49",zero-rated,produce,',
    '2002,,Maple syrup,Sirop d’érable,"12,50",zero-rated,grocery,',
  ]
    .map((line) =>
      line
        .replaceAll(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ';')
        .replaceAll('"', '')
        .replaceAll('’', '\u0092'),
    )
    .join('\r\n'),
  'latin1',
)
const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.isBuffer(content) ? content : Buffer.from(content),
})

const LANGUAGES = [
  [
    'English',
    {
      switchTo: null,
      group: 'Setup',
      page: 'Catalog',
      refused: 'File refused',
      wrong: /expected dollars such as 6\.99, found “free”/,
      read: 'Read as Windows-1252, separated by semicolons.',
      gone: /^Not in this file, no longer sold: \d+ items\.$/,
      apply: /^Apply \d+ changes$/,
      applied: /^Catalog imported: \d+ changes\.$/,
      undo: 'Undo last import',
      undone: 'Last import undone.',
      planned: 'Planned prices',
      plan: 'Plan a price',
      find: 'Find an item',
      choose: /^Choose /,
      price: 'Price',
      day: 'Day (YYYY-MM-DD)',
      save: 'Save',
      done: 'Price planned.',
      later: '$9.99',
      items: 'Items',
      edit: /^Edit /,
      age: 'Minimum age of the buyer',
      saved: 'Item saved.',
    },
  ],
  [
    'French',
    {
      switchTo: 'Français',
      group: 'Configuration',
      page: 'Catalogue',
      refused: 'Fichier refusé',
      wrong: /attendu des dollars tels que 6\.99, trouvé « free »/,
      read: 'Lu en Windows-1252, séparé par des points-virgules.',
      gone: /^Absents du fichier, plus vendus\s: \d+ articles\.$/,
      apply: /^Appliquer \d+ changements$/,
      applied: /^Catalogue importé\s: \d+ changements\.$/,
      undo: 'Défaire l’importation',
      undone: 'Importation défaite.',
      planned: 'Prix à venir',
      plan: 'Planifier un prix',
      find: 'Trouver un article',
      choose: /^Choisir /,
      price: 'Prix',
      day: 'Jour (AAAA-MM-JJ)',
      save: 'Enregistrer',
      done: 'Prix planifié.',
      later: '9,99 $',
      items: 'Articles',
      edit: /^Modifier /,
      age: 'Âge minimal de l’acheteur',
      saved: 'Article enregistré.',
    },
  ],
] as const

for (const [language, words] of inTurn(LANGUAGES, 1)) {
  test(`a manager imports prices, undoes it, and plans one, in ${language}`, async ({ window }) => {
    await signIn(window, MANAGER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await window.keyboard.press('Shift+F1')
    if (words.switchTo) {
      await window.getByRole('button', { name: /Sam/ }).first().click()
      await window.getByRole('button', { name: words.switchTo }).click()
      await window.keyboard.press('Escape')
    }
    await openStorePage(window, words.group, words.page)
    const input = window.locator('input[type="file"]')

    await test.step('a file with a bad price is refused with its line', async () => {
      await input.setInputFiles(file('bad.csv', [HEAD, '1001,,Apples,Pommes,free,zero-rated,produce,'].join('\n')))
      await expect(window.getByRole('heading', { name: words.refused })).toBeVisible()
      await expect(window.getByRole('row', { name: /^2/ })).toContainText(words.wrong)
    })

    await test.step('a good one is looked at, applied, and undone', async () => {
      await input.setInputFiles(file('prices.csv', FRENCH))
      await expect(window.getByText(words.read)).toBeVisible()
      await expect(window.getByRole('table')).toBeVisible()
      await expect(window.getByText(words.gone)).toBeVisible()
      await window.getByRole('button', { name: words.apply }).click()
      await expect(window.getByText(words.applied)).toBeVisible()
      await expect(window.getByRole('heading', { name: /2 (items|articles)/ })).toBeVisible()
      await window.getByRole('button', { name: words.undo }).click()
      await window.getByRole('alertdialog').getByRole('button', { name: words.undo }).click()
      await expect(window.getByText(words.undone)).toBeVisible()
    })

    await test.step('a price is planned', async () => {
      await window.getByRole('tab', { name: words.planned }).click()
      await window.getByRole('button', { name: words.plan }).first().click()
      await window.getByLabel(words.find).fill('1001')
      await window.getByRole('dialog').getByRole('button', { name: words.choose }).first().click()
      await window.getByLabel(words.price, { exact: true }).fill('9.99')
      await window.getByLabel(words.day, { exact: true }).fill('2099-01-01')
      await window.getByRole('button', { name: words.save }).click()
      await expect(window.getByText(words.done)).toBeVisible()
      await expect(window.getByRole('row', { name: /1001/ })).toContainText(words.later)
    })

    await test.step('an item is sold from an age on', async () => {
      await window.getByRole('tab', { name: words.items }).click()
      const open = async (): Promise<void> => {
        await window.getByLabel(words.find).fill('1001')
        await window.getByRole('button', { name: words.edit }).first().click()
      }
      await open()
      await window.getByLabel(words.age).fill('x8')
      await window.getByRole('button', { name: words.save }).click()
      await expect(window.getByLabel(words.age)).toHaveAccessibleDescription(/99/)
      await window.getByLabel(words.age).fill('18')
      await window.getByRole('button', { name: words.save }).click()
      await expect(window.getByText(words.saved)).toBeVisible()
      await open()
      await expect(window.getByLabel(words.age)).toHaveValue('18')
    })
  })
}
