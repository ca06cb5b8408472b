import { createTranslator } from 'use-intl/core'
import { expect, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { PRINTER_TODO as ENGLISH } from '../../../contracts/i18n/en-CA/printer.ts'
import { PRINTER_TODO as FRENCH } from '../../../contracts/i18n/fr-CA/printer.ts'
import type { Translate } from './message-key.ts'
import { printerTodo } from './printer-todo.ts'

const textsOf = (locale: 'en-CA' | 'fr-CA'): Translate =>
  createTranslator({ locale, messages: CATALOGS[locale].screens }) as Translate

test.each([
  ['en-CA', ENGLISH],
  ['fr-CA', FRENCH],
] as const)(
  'the screens show the same remedy for a printer problem as the CLI command milepost devices (%s)',
  (locale, todo) => {
    for (const kind of Object.keys(todo) as (keyof typeof todo)[])
      expect(printerTodo(textsOf(locale), kind)).toContain(todo[kind])
    expect([printerTodo(textsOf(locale), 'no-answer'), printerTodo(textsOf(locale), undefined)]).toEqual([null, null])
  },
)
