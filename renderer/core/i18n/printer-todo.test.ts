import { createTranslator } from 'use-intl/core'
import { expect, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { PRINTER_TODO as ENGLISH } from '../../../contracts/i18n/en-CA/printer.ts'
import { PRINTER_TODO as FRENCH } from '../../../contracts/i18n/fr-CA/printer.ts'
import type { Words } from './message-key.ts'
import { printerTodo } from './printer-todo.ts'

const wordsOf = (locale: 'en-CA' | 'fr-CA'): Words =>
  createTranslator({ locale, messages: CATALOGS[locale].screens }) as Words

test.each([
  ['en-CA', ENGLISH],
  ['fr-CA', FRENCH],
] as const)('the lane says to do what the installer’s tool says (%s)', (locale, todo) => {
  for (const kind of Object.keys(todo) as (keyof typeof todo)[])
    expect(printerTodo(wordsOf(locale), kind)).toContain(todo[kind])
  expect([printerTodo(wordsOf(locale), 'no-answer'), printerTodo(wordsOf(locale), undefined)]).toEqual([null, null])
})
