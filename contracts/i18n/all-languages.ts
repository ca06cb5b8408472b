/** The languages of the program. A new one needs a folder next to this file and a line here: docs/languages.md. */
export { default as 'en-CA' } from './en-CA/language.ts'
export { default as 'fr-CA' } from './fr-CA/language.ts'
