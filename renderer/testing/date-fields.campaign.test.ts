import type { Page } from '@playwright/test'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from './fixture-browser.ts'
import { PERSON_KEY_GAP_MS } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'

const fixtureBrowser = useFixtureBrowser()
const SIZE = { width: 1024, height: 768 }

const later = async (page: Page): Promise<void> => {
  await page.getByText(/^(At a time|À un moment précis)$/).click()
}
const stay = async (): Promise<void> => undefined

/** All date fields: the fixture, the label in both languages, and the action that shows the field. */
const PLACES = [
  ['audit', { en: 'From', fr: 'Du' }, stay],
  ['reports', { en: 'From', fr: 'Du' }, stay],
  ['journal', { en: 'To', fr: 'Au' }, stay],
  ['store-day', { en: 'Day', fr: 'Jour' }, stay],
  ['catalog-coupon-new', { en: 'First day', fr: 'Premier jour' }, stay],
  ['catalog-coupon-new', { en: 'Last day', fr: 'Dernier jour' }, stay],
  ['catalog-plan', { en: 'Day', fr: 'Jour' }, stay],
  ['settings-footer', { en: 'Day', fr: 'Jour' }, later],
  ['age-check', { en: 'Date of birth', fr: 'Date de naissance' }, stay],
] as const
const FORMAT = { en: 'YYYY-MM-DD', fr: 'AAAA-MM-JJ' } as const

type Place = (typeof PLACES)[number]

async function openField([name, label, open]: Place, language: Language) {
  const fixture = SCREEN_FIXTURES[name]
  if (fixture === undefined) throw new Error(`no fixture ${name}`)
  const { page, faults } = await fixtureBrowser().show(fixture, language, SIZE)
  expect(faults).toEqual([])
  await open(page)
  const field = page.getByRole('textbox', { name: `${label[language]} (${FORMAT[language]})`, exact: true })
  return { page, field }
}

test.each(PLACES.map((place, index) => [place[0], LANGUAGES[index % 2] ?? 'en', place] as const))(
  'the date field of the fixture %s accepts typed digits and reports an impossible date (%s)',
  async (_name, language, place) => {
    const { page, field } = await openField(place, language)
    await field.fill('')
    await field.pressSequentially('20260229', { delay: PERSON_KEY_GAP_MS })
    expect(await field.inputValue()).toBe('2026-02-29')
    await page.getByText(/^2026-02-29 (does not exist|n’existe pas)/).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('8', { delay: PERSON_KEY_GAP_MS })
    expect(await field.inputValue()).toBe('2026-02-28')
    expect(await field.getAttribute('aria-invalid')).not.toBe('true')
  },
)

describe('a date field', () => {
  const audit = PLACES[0]

  test('keeps the caret and the other digits when a digit in the middle is replaced', async () => {
    const { page, field } = await openField(audit, 'en')
    await field.pressSequentially('20261121', { delay: PERSON_KEY_GAP_MS })
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Backspace', '2'])
      await page.keyboard.press(key, { delay: PERSON_KEY_GAP_MS })
    expect(await field.inputValue()).toBe('2026-12-21')
  })

  test('reports an incomplete date when the field is left', async () => {
    const { page, field } = await openField(audit, 'en')
    await field.pressSequentially('2026-1', { delay: PERSON_KEY_GAP_MS })
    expect(await field.getAttribute('aria-invalid')).not.toBe('true')
    await page.keyboard.press('Tab')
    await page.getByText('Enter a date such as 2026-12-01.').waitFor()
  })

  test('accepts digits that are touched on the screen', async () => {
    const { page, field } = await openField(audit, 'en')
    await field.tap()
    const keyboard = page.getByRole('group', { name: 'On-screen keyboard' })
    for (const digit of '20261201') await keyboard.getByRole('button', { name: digit, exact: true }).tap()
    expect(await field.inputValue()).toBe('2026-12-01')
    await keyboard.getByRole('button', { name: 'Erase last character', exact: true }).tap()
    expect(await field.inputValue()).toBe('2026-12-0')
  })
})

test('a time field accepts typed digits and reports an impossible time', async () => {
  const { page } = await openField(PLACES[6], 'en')
  const field = page.getByRole('textbox', { name: 'Time (HH:MM)' })
  await field.fill('')
  await field.pressSequentially('2430', { delay: PERSON_KEY_GAP_MS })
  expect(await field.inputValue()).toBe('24:30')
  await page.getByText('Enter a time such as 06:00 or 18:30.').waitFor()
  await field.fill('')
  await field.pressSequentially('9:30', { delay: PERSON_KEY_GAP_MS })
  expect(await field.inputValue()).toBe('09:30')
})
