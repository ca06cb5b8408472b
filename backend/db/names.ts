import { Names } from '../../contracts/locales.ts'

/** Reads a column of names by locale. */
export const namesOf = (json: string): Names => Names.parse(JSON.parse(json))
