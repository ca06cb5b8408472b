import atOnce from './initial-screens.ts'
import ofStore from './screens-of-store.ts'

/** All messages of the screens. ICU MessageFormat; amounts, miles and dates are formatted before. */
export default {
  ...atOnce,
  ...ofStore,
} as const
