import { Bilingual } from '../../contracts/locales.ts'

/** Reads a column of names by locale. */
export const namesOf = (json: string): Bilingual => Bilingual.parse(JSON.parse(json))
