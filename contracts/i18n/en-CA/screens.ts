import atOnce from './screens-at-once.ts'
import ofStore from './screens-of-store.ts'

/** Every word of the screens. ICU MessageFormat; amounts, miles and dates arrive already formatted for the language. */
export default {
  ...atOnce,
  ...ofStore,
} as const
