import { createTranslator } from 'use-intl/core'
import { describe, expect, test } from 'vitest'
import enScreens from '../../contracts/i18n/en-CA/screens.ts'
import frScreens from '../../contracts/i18n/fr-CA/screens.ts'
import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import { GROUPS } from './action.ts'
import { linesOfGroup } from './shortcut-lines.ts'

describe.each([
  ['en-CA', enScreens],
  ['fr-CA', frScreens],
] as const)('the list of keyboard shortcuts in %s', (locale, messages) => {
  const localize = createTranslator({ locale, messages })
  const lines = (training: boolean) =>
    GROUPS.flatMap((group) => linesOfGroup(group, localize, { training, payments: ['cash', 'card', 'voucher'] }))

  test('contains the training devices in training mode only', () => {
    expect(lines(true).some(({ keys }) => keys.includes('F10'))).toBe(true)
    expect(lines(false).some(({ keys }) => keys.includes('F10'))).toBe(false)
  })

  test('contains the slip of another card terminal only on a lane that accepts it and has a card terminal', () => {
    const keysWith = (...payments: PaymentKind[]) =>
      linesOfGroup('paying', localize, { training: false, payments }).flatMap(({ keys }) => keys)
    expect(keysWith('cash', 'card')).not.toContain('Ctrl+F8')
    expect(keysWith('cash', 'card-terminal')).not.toContain('Ctrl+F8')
    expect(keysWith('cash', 'card', 'card-terminal')).toContain('Ctrl+F8')
  })

  test('contains an action once that has the same key on several screens', () => {
    const shown = lines(true)
    expect(shown.filter(({ keys }) => keys.includes('F11'))).toHaveLength(1)
    expect(shown.filter(({ keys }) => keys.includes('Shift+F9'))).toHaveLength(1)
    expect(shown.filter(({ keys }) => keys.includes('Shift+F10'))).toHaveLength(1)
    const texts = shown.map(({ text, keys }) => `${text} ${keys.join()}`)
    expect(texts).toEqual([...new Set(texts)])
  })
})
