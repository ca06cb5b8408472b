/**
 * The languages that the program speaks. A further one is a folder beside this file and a line here: docs/languages.md.
 */
export { default as 'en-CA' } from './en-CA/language.ts'
export { default as 'fr-CA' } from './fr-CA/language.ts'
