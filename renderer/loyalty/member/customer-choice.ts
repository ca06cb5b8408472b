import { create } from 'zustand'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useSale, type SaleState } from '../../sales/sale.ts'

interface ChoiceShown {
  readonly saleId: string | null
  readonly units: number | null
}

export const useCustomerChoice = create<ChoiceShown>()(() => ({ saleId: null, units: null }))

export const applyChoice = ({ saleId, units }: { readonly saleId: string; readonly units: number | null }): void =>
  useCustomerChoice.setState({ saleId, units })

const onStepper = ({ current, stage, units }: SaleState): ChoiceShown => ({
  saleId: current?.id ?? null,
  units: stage === 'redeem' ? (units ?? current?.redemptionChoice?.defaultUnits ?? null) : null,
})

/** Sends each change of the cashier's chosen units to the customer display, in order. Returns a function that stops. */
export function showChoices(): () => void {
  let sending: Promise<unknown> = Promise.resolve()
  return useSale.subscribe((now, before) => {
    const [next, last] = [onStepper(now), onStepper(before)]
    const { saleId, units } = next
    if (
      saleId === null ||
      (saleId === last.saleId && units === last.units) ||
      (saleId !== last.saleId && units === null)
    )
      return
    sending = sending
      .then(() => api.showChoice(saleId, units))
      .catch((error: unknown) => {
        // If sending fails, the customer display shows the proposed units, so the cashier need not act.
        if (!(error instanceof ApiProblem)) throw error
      })
  })
}
