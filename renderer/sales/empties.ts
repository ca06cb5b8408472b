import { create } from 'zustand'
import type { EmptiesClasses } from '../../contracts/catalog/charges.ts'
import type { PriceCheck } from '../../contracts/catalog/catalog.ts'
import { api } from '../core/api/terminal-api.ts'
import { report } from '../core/state/notices.ts'
import { command } from './sale-commands.ts'

interface EmptiesState {
  /** Classes of containers that the store takes; null while the dialog is closed. */
  readonly classes: EmptiesClasses['classes'] | null
  readonly counts: Readonly<Record<string, number>>
  /** Code of the last scan, if the store does not take the container of the item; null otherwise. */
  readonly unknown: string | null
}

/** The dialog that counts empty containers. */
export const useEmpties = create<EmptiesState>()(() => ({ classes: null, counts: {}, unknown: null }))

export const closeEmpties = (): void => useEmpties.setState({ classes: null })

export async function openEmpties(): Promise<void> {
  try {
    const { classes } = await api.emptiesClasses()
    useEmpties.setState({ classes, counts: {}, unknown: null })
  } catch (error) {
    report(error)
  }
}

export const countEmpties = (id: string, count: number): void =>
  useEmpties.setState(({ counts }) => ({
    counts: { ...counts, [id]: Math.max(0, Math.min(999, count)) },
    unknown: null,
  }))

/** Counts the containers of a scanned item or pack. Returns whether the dialog is open. */
export function countScanned(code: string, check: PriceCheck | null): boolean {
  const { classes, counts } = useEmpties.getState()
  if (classes === null) return false
  const charge = check?.item.charges?.find(({ id }) => classes.some((one) => one.id === id))
  if (!charge) useEmpties.setState({ unknown: code })
  else countEmpties(charge.id, (counts[charge.id] ?? 0) + charge.containers * (check?.pack?.quantity ?? 1))
  return true
}

/** Adds the counted containers to the sale. */
export function takeEmpties(): void {
  const { counts } = useEmpties.getState()
  const empties = Object.entries(counts).flatMap(([id, count]) => (count > 0 ? [{ id, count }] : []))
  if (empties.length === 0) return
  closeEmpties()
  void command('change', (approval) => api.takeEmpties({ empties, ...(approval ? { approval } : {}) }))
}
