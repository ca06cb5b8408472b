import { SaleFact } from '../../contracts/store/facts.ts'
import type { Fact } from '../../contracts/store/protocol.ts'

const READ = new WeakMap<Fact['body'], SaleFact>()

/** What the fact of a sale says. Several parts read each: it is checked once. Throws ZodError. */
export function readSale(body: Fact['body']): SaleFact {
  const known = READ.get(body) ?? SaleFact.parse(body)
  READ.set(body, known)
  return known
}
