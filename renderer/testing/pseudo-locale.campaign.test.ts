import { describe, expect, test } from 'vitest'
import english from '../../contracts/i18n/en-CA/screens.ts'
import { BUILT } from './build.ts'
import { cutText } from './clipped-text.ts'
import { drawn } from './fixture-browser.ts'
import { inPseudoToo, pseudo, pseudoCatalog, servePseudoLanguage, type Catalog } from './pseudo-language.ts'
import { smallestOf } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'
import { untilQuiet } from './until-quiet.ts'

const NORMAL = { width: 1280, height: 800 }

/** `npm run lab access` tests every fixture; a short campaign, which runs with every change, tests one in six. */
const EVERY = process.env['MILEPOST_CAMPAIGN'] === '1' ? 1 : 6
const chosen = Object.entries(SCREEN_FIXTURES).filter((_, index) => index % EVERY === 0)

const fixtureBrowser = useFixtureBrowser((page, terminal) => servePseudoLanguage(page, terminal, BUILT))

describe('the pseudo-language with longer texts', () => {
  test('changes every text and leaves arguments unchanged', () => {
    expect(pseudo('{count, plural, one {# item} other {# items}} of {name}, <b>one</b>')).toBe(
      '{count,plural,one{# íítéém} other{# íítééms}} óóf {name}, <b>óóññéé</b>',
    )
  })

  test('makes the texts of the screens about 40 % longer', () => {
    const lengths = (catalog: Catalog): number =>
      Object.values(catalog).reduce<number>(
        (sum, texts) => sum + (typeof texts === 'string' ? texts.length : lengths(texts)),
        0,
      )
    const factor = lengths(pseudoCatalog(english)) / lengths(english)
    expect(factor).toBeGreaterThan(1.3)
    expect(factor).toBeLessThan(1.5)
  })

  test('is matched by the regular expressions that are made for English texts', () => {
    expect(pseudo('Quantity of items')).toMatch(inPseudoToo(/^(Quantity|Quantité) of/))
    expect('Quantity of items').toMatch(inPseudoToo(/^(Quantity|Quantité) of/))
    expect(pseudo('Quality')).not.toMatch(inPseudoToo(/^Quantity/))
  })

  test('the check for cut-off text finds text cut off by its own box, by a cover, or by the window', async () => {
    const { page } = await fixtureBrowser().show(SCREEN_FIXTURES['queue-empty'] ?? {}, 'en', NORMAL)
    expect(await cutText(page)).toEqual([])
    const found = async (content: string): Promise<string> => {
      const style = await page.addStyleTag({ content })
      await drawn(page)
      const cut = await cutText(page)
      await style.evaluate((element) => (element as Element).remove())
      return cut.join('\n')
    }
    expect(await found('nav a { width: 90px; white-space: nowrap }')).toMatch(inPseudoToo(/Reconciliation/))
    expect(await found('main h2 { width: 30px; overflow: hidden; overflow-wrap: normal }')).toMatch(
      inPseudoToo(/Queue/),
    )
    expect(await found('nav + section { translate: -120px }')).toMatch(/^under /)
    expect(await found('nav { margin-left: -120px }')).toMatch(/^the window/)
  })

  test.each(chosen)('cuts off no text in the fixture %s', async (_name, fixture) => {
    const { page, faults } = await fixtureBrowser().show(fixture, 'en', NORMAL)
    // The content of a fixture without steps may still be loading.
    if (!fixture.act) await untilQuiet(page)
    await page
      .locator('body')
      .filter({ hasText: /[áéíóúñç]{2}/ })
      .waitFor()
    const found = [...faults]
    for (const size of [smallestOf(fixture), NORMAL]) {
      await page.setViewportSize(size)
      await drawn(page)
      for (const cut of await cutText(page)) found.push(`at ${size.width}: ${cut}`)
    }
    expect(found).toEqual([])
  })
})
