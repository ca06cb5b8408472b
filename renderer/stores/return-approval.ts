import type { z } from 'zod'
import type { Approval } from '../../contracts/api/sale-changes.ts'
import { ApiProblem } from '../api/problem.ts'
import { commitReturn, explainReturn, useReturn } from './returns.ts'
import { takeUnrecorded } from './unrecorded-return.ts'

/** What is wrong with the PIN itself: told where it is typed, and the question stays. */
const OF_THE_PIN = ['pin-wrong', 'pin-locked', 'pin-not-set', 'manager-required']

/** A manager's word for the return on the screen. Throws ApiProblem for a PIN that does not do; anything else ends the question and is told on the screen. */
export async function approve(approval: z.input<typeof Approval>): Promise<void> {
  const { approving } = useReturn.getState()
  try {
    await (approving === 'unrecorded' ? takeUnrecorded(approval) : commitReturn(approval))
    useReturn.setState({ approving: null })
  } catch (error) {
    if (error instanceof ApiProblem && OF_THE_PIN.includes(error.code)) throw error
    useReturn.setState({ approving: null })
    await explainReturn(error)
  }
}
