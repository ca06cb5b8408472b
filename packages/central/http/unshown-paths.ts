import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'

/** Calls whose paths the specification does not show (3 §4.4, §4.5): settings. */
export interface UnshownPaths {
  readonly post: string
  readonly postEvent: string
  readonly reverse: string
  readonly cashReverse: string
}

/** Where they are unless told otherwise. */
export const ASSUMED_PATHS: UnshownPaths = {
  post: ISSUANCE_PATHS.post,
  postEvent: ISSUANCE_PATHS.postEvent,
  reverse: ISSUANCE_PATHS.reverse,
  cashReverse: CASH_PATHS.reverse,
}
