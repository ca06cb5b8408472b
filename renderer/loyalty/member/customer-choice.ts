import { create } from 'zustand'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useSale, type SaleState } from '../../sales/sale.ts'

interface ChoiceShown {
  readonly saleId: string | null
  /** Units on the cashier's stepper; null while it is not open. */
  readonly units: number | null
}

/** What the cashier's stepper shows, as the customer's screen heard of it. */
export const useCustomerChoice = create<ChoiceShown>()(() => ({ saleId: null, units: null }))

export const takeChoiceShown = ({ saleId, units }: { readonly saleId: string; readonly units: number | null }): void =>
  useCustomerChoice.setState({ saleId, units })

const onStepper = ({ current, stage, units }: SaleState): ChoiceShown => ({
  saleId: current?.id ?? null,
  units: stage === 'redeem' ? (units ?? current?.redemptionChoice?.defaultUnits ?? null) : null,
})

/** Tells the customer's screen what the stepper shows, one after another. Answers a function that stops. */
export function showChoices(): () => void {
  let told: Promise<unknown> = Promise.resolve()
  return useSale.subscribe((now, before) => {
    const [next, last] = [onStepper(now), onStepper(before)]
    const { saleId, units } = next
    if (
      saleId === null ||
      (saleId === last.saleId && units === last.units) ||
      (saleId !== last.saleId && units === null)
    )
      return
    told = told
      .then(() => api.showChoice(saleId, units))
      .catch((error: unknown) => {
        // The customer's screen shows the default then; the cashier has nothing to do about it.
        if (!(error instanceof ApiProblem)) throw error
      })
  })
}
