import { create } from 'zustand'
import type { Sale } from '../../../contracts/sales/sales.ts'

/** The age check that the cashier has put off, as for a customer who fetches a card: it stays with the sale. */
export const useAgeCheck = create<{ readonly putOff: string | null }>()(() => ({ putOff: null }))

/** One question: of a sale, of an age, and of so many items. */
export const questionOf = ({ id, ageCheck }: Pick<Sale, 'id' | 'ageCheck'>): string | null =>
  ageCheck ? `${id} ${ageCheck.minimumAge} ${ageCheck.items.length}` : null

export const putOffAgeCheck = (sale: Sale): void => useAgeCheck.setState({ putOff: questionOf(sale) })
export const showAgeCheck = (): void => useAgeCheck.setState({ putOff: null })
