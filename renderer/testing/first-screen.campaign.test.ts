import type { Locator } from '@playwright/test'
import { describe, expect, test } from 'vitest'
import type { ClockHealth } from '../../contracts/operations/diagnostics.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { line, member, saleOf, withMember, printJob } from './sales.ts'
import { miles, press, setUp, type ScreenFixture } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { LANGUAGES } from './fixture-browser.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'
import { ok } from './answers.ts'

const EQUIPPED: ScreenFixture = {
  set: ({ state }) => {
    state.answers['GET /api/devices'] = ok({
      devices: [
        ...['card-reader', 'scanner', 'printer', 'line-display'].map((role) => ({
          role,
          state: 'ready',
          detail: null,
        })),
        { role: 'drawer', state: 'ready', position: 'closed', detail: null },
      ],
    })
  },
}
const WITH_PROBLEMS: ScreenFixture = {
  ...SCREEN_FIXTURES['return-suspended'],
  set: (terminal, localize) => {
    setUp(SCREEN_FIXTURES['return-suspended'] ?? {}, terminal, localize)
    const { state } = terminal
    state.central = 'offline'
    state.answers['GET /api/diagnostics/maintenance'] = ok({
      clock: { state: 'off-central', aheadSeconds: 7_200 },
      backup: null,
      room: { freeMb: 52_000, neededMb: 65, state: 'enough' },
    })
    state.answers['GET /api/sales/held'] = ok({
      sales: [
        {
          id: 'N1010100000001K7QZ',
          version: 4,
          name: '1',
          heldAt: '2026-11-21T14:03:12.000Z',
          itemCount: 3,
          totalCents: 2_345,
          memberLast4: null,
          cashier: 'Alex Tremblay',
        },
      ],
    })
    const devices = [
      { role: 'card-reader', state: 'ready' },
      { role: 'scanner', state: 'unavailable' },
      { role: 'printer', state: 'needs-attention' },
      { role: 'line-display', state: 'unavailable' },
      { role: 'drawer', state: 'ready', position: 'open' },
    ]
    state.answers['GET /api/devices'] = ok({ devices: devices.map((device) => ({ ...device, detail: null })) })
  },
}
const TROUBLES = [
  /^(Clock|Horloge)/,
  /^(Miles|Milles)/,
  /^(Queue|File)/,
  /^(On hold|En attente)/,
  /^(Return in progress|Retour en cours)/,
  /^(Reader|Lecteur de cartes)/,
  /^(Scanner|Lecteur de codes-barres)/,
  /^(Printer|Imprimante)/,
  /^(Drawer|Tiroir)/,
  /^(Line display|Afficheur)/,
] as const
/** The card payment of a sale of $20.17, which leaves $2.17 due: coins cannot pay that exactly. */
const card = {
  number: 1,
  kind: 'card',
  amountCents: 18_00,
  roundingCents: 0,
  tenderedCents: 18_00,
  changeCents: 0,
  reference: '004417',
} as const
/** An item name as long as the longest on the store's shelf. */
const LONG_NAME = { 'en-CA': 'Laundry detergent 2.95 L', 'fr-CA': 'Détersif à lessive 2,95 L' } as const
/**
 * A sale that is paid in part, which gives the total a second row, and that has a note: the payment panel has the least
 * space.
 */
const half = withMember({ tenders: [miles], note: 'Pour Mme Bélanger, livrer jeudi avant 17 h' })
/** The smallest screens of a lane, on which everything needed for a decision must be visible without scrolling. */
const SIZES = [
  { width: 1024, height: 768 },
  { width: 1280, height: 800 },
] as const
const fixtureBrowser = useFixtureBrowser()

const hiddenOf = (part: Locator): Promise<number> =>
  part.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    let [from, to] = [0, window.innerHeight]
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflowY === 'visible') continue
      const box = around.getBoundingClientRect()
      from = Math.max(from, box.top)
      to = Math.min(to, box.bottom)
    }
    return Math.round(Math.max(from - top, bottom - to, 0))
  })

/**
 * Languages and sizes to test. A short campaign tests the language with longer texts on the smaller screen, and English
 * on the other.
 */
const LOOKS = LANGUAGES.map((language) => ({
  language,
  sizes: process.env['MILEPOST_CAMPAIGN'] === '1' ? SIZES : language === 'fr' ? [SIZES[0]] : [SIZES[1]],
}))

describe.each(LOOKS)('screens in $language', ({ language, sizes }) => {
  describe.each(sizes)('at $width × $height', (size) => {
    test.each(['return-six', 'return-six-exchange'])(
      'the return of the fixture %s shows goods, refunds, reasons, deadline and button without scrolling',
      async (name) => {
        const fixture = SCREEN_FIXTURES[name]
        if (!fixture) throw new Error(`no fixture ${name}`)
        const { page, faults } = await fixtureBrowser().show(fixture, language, size)
        expect(faults).toEqual([])
        const parts = [
          ...(await page.getByRole('row').all()),
          ...(await page.getByRole('listitem').all()),
          ...(await page.getByRole('timer').all()),
          ...(await page.getByRole('textbox').all()),
          ...(await page.getByRole('radiogroup').locator('label').all()),
          page.getByRole('button', { name: /^(Refund|Rembourser|Apply|Appliquer) / }),
        ]
        expect(parts.length).toBeGreaterThan(16)
        const hidden = await Promise.all(parts.map(async (part) => [await part.textContent(), await hiddenOf(part)]))
        expect(hidden.filter(([, pixels]) => pixels !== 0)).toEqual([])
      },
    )

    test('the status bar with five healthy devices shows the last of them, the drawer, completely', async () => {
      const { page, faults } = await fixtureBrowser().show(EQUIPPED, language, size)
      expect(faults).toEqual([])
      const drawer = page.getByRole('banner').getByRole('button', { name: /^(Drawer|Tiroir)/ })
      expect(
        await drawer.evaluate((place) => {
          const bar = place.parentElement?.getBoundingClientRect()
          const { left, right } = place.getBoundingClientRect()
          return bar !== undefined && left >= bar.left && right <= bar.right
        }),
      ).toBe(true)
    })

    test('the status bar shows all simultaneous problems completely, large enough for touch', async () => {
      const { page, faults } = await fixtureBrowser().show(WITH_PROBLEMS, language, size)
      expect(faults).toEqual([])
      const places = page.getByRole('banner').getByRole('button')
      const cut = await Promise.all(
        TROUBLES.map(async (name) => {
          const { width, height, over, marked } = await places
            .and(page.getByRole('button', { name }))
            .evaluate((place) => {
              const [own, row] = [
                place.getBoundingClientRect(),
                place.parentElement?.getBoundingClientRect() ?? new DOMRect(),
              ]
              // The entry contains an icon and a mark, because a state is never shown by color only.
              const drawn = [...place.querySelectorAll('svg')]
                .map((svg) => svg.getBoundingClientRect())
                .filter((box) => box.width > 0 && box.left >= own.left && box.right <= own.right)
              return {
                width: own.width,
                height: own.height,
                over: Math.max(row.left - own.left, own.right - row.right),
                marked: drawn.length === 2,
              }
            })
          return { name, fits: width >= 48 && height >= 48 && over <= 0, marked }
        }),
      )
      expect(cut.filter(({ fits, marked }) => !fits || !marked)).toEqual([])
      await places.and(page.getByRole('button', { name: /^(Line display|Afficheur)/ })).click()
      await page.getByRole('dialog', { name: /^(Line display|Afficheur)/ }).waitFor()
    })

    test('an entry of the status bar hides its text when space is short, and shows it again later', async () => {
      let updated: FixtureTerminal | undefined
      const { page, faults } = await fixtureBrowser().show(
        {
          set: (terminal, localize) => {
            updated = terminal
            setUp(EQUIPPED, terminal, localize)
          },
        },
        language,
        size,
      )
      expect(faults).toEqual([])
      const texts = page
        .getByRole('banner')
        .getByRole('button', { name: /^(Queue|File)/ })
        .getByText(/1 needs review|1 à vérifier/)
      const widthOfText = async (): Promise<number> => (await texts.boundingBox())?.width ?? 0
      const notify = (state: 'unavailable' | 'ready', clock: ClockHealth): void => {
        for (const role of ['card-reader', 'scanner', 'printer', 'line-display'] as const)
          updated?.push({ type: 'device-health', device: { role, state, detail: null } })
        updated?.push({
          type: 'maintenance',
          maintenance: { clock, backup: null, room: { freeMb: 52_000, neededMb: 65, state: 'enough' } },
        })
      }
      expect(await widthOfText()).toBeGreaterThan(30)
      notify('unavailable', { state: 'off-central', aheadSeconds: 7_200 })
      await expect.poll(widthOfText).toBe(1)
      notify('ready', { state: 'right', aheadSeconds: null })
      await expect.poll(widthOfText).toBeGreaterThan(30)
    })

    test.each(['F6', 'F7'])(
      'the payment panel opened by the key %s shows the last key of the amount pad completely',
      async (key) => {
        const { page, faults } = await fixtureBrowser().show({ sale: half, act: press(key) }, language, size)
        expect(faults).toEqual([])
        expect(
          await hiddenOf(page.getByRole('button', { name: /^(Erase last digit|Effacer le dernier chiffre)$/ })),
        ).toBe(0)
      },
    )

    test('the exact-cash key stays visible next to a special offer and a sign-in code', async () => {
      const offer = {
        'en-CA': 'Members’ days: $10 off for only 76 miles',
        'fr-CA': 'Jours des membres : 10 $ de rabais pour 76 milles seulement',
      }
      const fixture: ScreenFixture = {
        set: (terminal, localize) => {
          setUp(SCREEN_FIXTURES['member-waiting'] ?? {}, terminal, localize)
          terminal.state.payments = ['cash', 'card-terminal', 'card', 'voucher']
        },
        sale: withMember({ member: member({ offer }) }),
      }
      const hidden: Record<number, number> = {}
      for (const height of [size.height, 768, 820]) {
        const { page, faults } = await fixtureBrowser().show(fixture, language, { ...size, height })
        expect(faults).toEqual([])
        hidden[height] = await hiddenOf(page.getByRole('button', { name: /^(Exact cash|Comptant exact)/ }))
      }
      expect(Object.entries(hidden).filter(([, pixels]) => pixels !== 0)).toEqual([])
    })

    test('a line shows the complete name of an item, with its size, next to its amount', async () => {
      const sale = saleOf([
        line(1, { name: LONG_NAME }),
        line(2),
        line(3, { name: LONG_NAME, quantity: 12 }),
        line(4, { name: LONG_NAME, voided: true }),
      ])
      const { page, faults } = await fixtureBrowser().show({ sale }, language, size)
      expect(faults).toEqual([])
      const names = page.getByRole('grid').getByText(/^(Laundry detergent 2\.95 L|Détersif à lessive 2,95 L)$/)
      expect(await names.evaluateAll((parts) => parts.map((part) => part.scrollWidth - part.clientWidth))).toEqual([
        0, 0, 0,
      ])
      // The tax mark is complete too: it is below the name where it does not fit next to the name.
      expect(
        await page
          .getByRole('grid')
          .getByText(/^(Not taxed|Non taxé|HST|TVH)/)
          .evaluateAll((texts) => texts.map((word) => word.scrollWidth - word.clientWidth)),
      ).toEqual([0, 0, 0])
    })

    test.each([
      {
        neighbour: 'the total',
        lines: [line(1), line(3)],
        tenders: [],
        says: { en: ['Cash $10.55'], fr: ['Comptant 10,55 $'] },
      },
      {
        neighbour: 'Use the balance',
        lines: [line(1), line(4)],
        tenders: [card],
        says: { en: ['Cash $2.15'], fr: ['Comptant 2,15 $'] },
      },
      {
        neighbour: 'an amount that coins can pay',
        lines: [line(2, { quantity: 5 })],
        tenders: [],
        says: { en: [], fr: [] },
      },
    ])(
      'the customer display shows a rounded cash amount only where coins cannot pay the amount due ($neighbour)',
      async ({ lines, tenders, says }) => {
        const { page, faults } = await fixtureBrowser().show(
          {
            path: '/customer',
            sale: saleOf(lines, { tenders }),
            act: async (window) => {
              await window.getByRole('listitem').first().waitFor()
            },
          },
          language,
          size,
        )
        expect(faults).toEqual([])
        const inCash = page.getByText(/^(Cash|Comptant)/)
        const texts = async () => (await inCash.allInnerTexts()).map((text) => text.replaceAll('\u00A0', ' '))
        await expect.poll(texts).toEqual(says[language])
        expect(await Promise.all((await inCash.all()).map(hiddenOf))).toEqual(says[language].map(() => 0))
      },
    )

    test('the buttons next to an edited quantity fit their bar, and their texts fit the buttons', async () => {
      const { page, faults } = await fixtureBrowser().show({ sale: withMember(), act: press('F3') }, language, size)
      expect(faults).toEqual([])
      const bar = page.locator('footer').filter({ has: page.getByRole('textbox') })
      const texts = await bar
        .getByRole('button')
        .evaluateAll((buttons) =>
          buttons
            .filter((button) => button.getClientRects().length > 0)
            .map((button) => ({ name: button.textContent, over: button.scrollWidth - button.clientWidth })),
        )
      expect(texts.length).toBeGreaterThan(3)
      expect(texts.filter(({ over }) => over > 0)).toEqual([])
      expect(await bar.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    })

    test('texts and buttons stay inside the cards of the terminal page', async () => {
      const { page, faults } = await fixtureBrowser().show(
        {
          path: '/manager/terminal',
          act: async (window) => {
            await window.getByRole('button', { name: /^(Miles not applied|Milles non appliqués)$/ }).waitFor()
          },
        },
        language,
        size,
      )
      expect(faults).toEqual([])
      const over = await page
        .getByRole('main')
        .getByRole('listitem')
        .evaluateAll((cards) =>
          cards.filter((card) => card.scrollWidth > card.clientWidth).map((card) => card.textContent),
        )
      expect(over).toEqual([])
    })

    test('the print result of a receipt is shown completely next to the receipt’s name', async () => {
      const { page, faults } = await fixtureBrowser().show(
        {
          sale: withMember(),
          act: async (window, terminal) => {
            const sale = { ...withMember({ tenders: [miles] }), version: 9, revision: 9, state: 'completed' as const }
            terminal.push({ type: 'sale-changed', cause: 'tender', sale })
            await window.getByRole('article').waitFor()
            terminal.push(printJob({ saleId: sale.id, state: 'unknown', totalCents: sale.totals.totalCents }))
            await window
              .locator('header')
              .getByText(/^(Printing interrupted|Impression interrompue)/)
              .waitFor()
          },
        },
        language,
        size,
      )
      expect(faults).toEqual([])
      expect(
        await page
          .locator('header')
          .getByText(/^(Printing interrupted|Impression interrompue)/)
          .evaluate((tag) => {
            const room = tag.closest('header')
            return room === null
              ? null
              : Math.max(room.scrollWidth - room.clientWidth, tag.scrollWidth - tag.clientWidth)
          }),
      ).toBe(0)
    })

    test('the picture on the ready screen keeps its proportions while messages are shown', async () => {
      const { page, faults } = await fixtureBrowser().show(
        {
          ...SCREEN_FIXTURES['sale-empty-last'],
          act: async (window, terminal) => {
            terminal.push({ type: 'scan-unknown', code: '0999999999993' })
            terminal.push({ type: 'scan-unknown', code: '0999999999994' })
            await window.getByRole('alert').first().waitFor()
          },
        },
        language,
        size,
      )
      expect(faults).toEqual([])
      const picture = page
        .getByRole('heading', { name: /^(Ready for|Prêt pour)/ })
        .locator('xpath=preceding-sibling::*[1]')
      const { width, height } = (await picture.boundingBox()) ?? { width: 0, height: -1 }
      expect(height).toBe(width)
    })
  })
})
