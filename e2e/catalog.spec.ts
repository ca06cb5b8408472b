import { MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { expect, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { variantsFor } from './variants.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
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

for (const [language, texts] of variantsFor(LANGUAGES, 1)) {
  test(`a manager imports prices, undoes the import and plans a price, in ${language}`, async ({ window }) => {
    await signIn(window, MANAGER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await window.keyboard.press('Shift+F1')
    if (texts.switchTo) {
      await window.getByRole('button', { name: /Sam/ }).first().click()
      await window.getByRole('button', { name: texts.switchTo }).click()
      await window.keyboard.press('Escape')
    }
    await openStorePage(window, texts.group, texts.page)
    const input = window.locator('input[type="file"]')

    await test.step('an import file with a bad price is rejected, and the page names its line', async () => {
      await input.setInputFiles(file('bad.csv', [HEAD, '1001,,Apples,Pommes,free,zero-rated,produce,'].join('\n')))
      await expect(window.getByRole('heading', { name: texts.refused })).toBeVisible()
      await expect(window.getByRole('row', { name: /^2/ })).toContainText(texts.wrong)
    })

    await test.step('a valid import file is previewed, applied and undone', async () => {
      await input.setInputFiles(file('prices.csv', FRENCH))
      await expect(window.getByText(texts.read)).toBeVisible()
      await expect(window.getByRole('table')).toBeVisible()
      await expect(window.getByText(texts.gone)).toBeVisible()
      await window.getByRole('button', { name: texts.apply }).click()
      await expect(window.getByText(texts.applied)).toBeVisible()
      await expect(window.getByRole('heading', { name: /2 (items|articles)/ })).toBeVisible()
      await window.getByRole('button', { name: texts.undo }).click()
      await window.getByRole('alertdialog').getByRole('button', { name: texts.undo }).click()
      await expect(window.getByText(texts.undone)).toBeVisible()
    })

    await test.step('the manager plans a price', async () => {
      await window.getByRole('tab', { name: texts.planned }).click()
      await window.getByRole('button', { name: texts.plan }).first().click()
      await window.getByLabel(texts.find).fill('1001')
      await window.getByRole('dialog').getByRole('button', { name: texts.choose }).first().click()
      await window.getByLabel(texts.price, { exact: true }).fill('9.99')
      await window.getByLabel(texts.day, { exact: true }).fill('2099-01-01')
      await window.getByRole('button', { name: texts.save }).click()
      await expect(window.getByText(texts.done)).toBeVisible()
      await expect(window.getByRole('row', { name: /1001/ })).toContainText(texts.later)
    })

    await test.step('the manager sets a minimum age for an item', async () => {
      await window.getByRole('tab', { name: texts.items }).click()
      const open = async (): Promise<void> => {
        await window.getByLabel(texts.find).fill('1001')
        await window.getByRole('button', { name: texts.edit }).first().click()
      }
      await open()
      await window.getByLabel(texts.age).fill('x8')
      await window.getByRole('button', { name: texts.save }).click()
      await expect(window.getByLabel(texts.age)).toHaveAccessibleDescription(/99/)
      await window.getByLabel(texts.age).fill('18')
      await window.getByRole('button', { name: texts.save }).click()
      await expect(window.getByText(texts.saved)).toBeVisible()
      await open()
      await expect(window.getByLabel(texts.age)).toHaveValue('18')
    })
  })
}
