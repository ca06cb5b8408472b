import { createBreaker, type Breaker, type BreakerOptions } from './breaker.ts'
import type { ReadService } from './service-result.ts'

/** The breakers of a lane: each reader of a service has its own. */
export interface Breakers {
  of(service: ReadService): Breaker
  /** Whether any reader of the service has found it away. */
  isOpen(service: ReadService): boolean
}

export function createBreakers(options: BreakerOptions): Breakers {
  const made: { readonly service: ReadService; readonly breaker: Breaker }[] = []
  return {
    of(service) {
      const breaker = createBreaker(options)
      made.push({ service, breaker })
      return breaker
    },
    isOpen: (wanted) => made.some(({ service, breaker }) => service === wanted && breaker.isOpen),
  }
}
