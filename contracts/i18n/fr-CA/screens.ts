import type { SameKeys } from '../same-keys.ts'
import type english from '../en-CA/screens.ts'
import atOnce from './initial-screens.ts'
import ofStore from './screens-of-store.ts'

export default {
  ...atOnce,
  ...ofStore,
} as const satisfies SameKeys<typeof english>
