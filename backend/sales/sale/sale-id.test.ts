import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SaleId } from '../../../contracts/core/ids.ts'
import { saleIdOf } from './sale-id.ts'
import { COLLECTOR_NUMBER_PATTERN } from '../../../contracts/core/collector-number.ts'

describe('the id of a sale', () => {
  it('is location, lane, eight digits and salt, in capitals', () => {
    expect(saleIdOf({ locationCode: 'n101', lane: '01', sequence: 42, salt: 'k7qz' })).toBe('N1010100000042K7QZ')
  })
  it('always contains a letter, so that no scanner takes it for an item or a collector', () => {
    expect(saleIdOf({ locationCode: '8101', lane: '01', sequence: 7, salt: '4321' })).toBe('81010100000007E321')
  })
  it('is refused for a sequence or a salt of invalid length', () => {
    expect(() => saleIdOf({ locationCode: 'N101', lane: '01', sequence: 100_000_000, salt: 'K7QZ' })).toThrow(
      RangeError,
    )
    expect(() => saleIdOf({ locationCode: 'N101', lane: '01', sequence: -1, salt: 'K7QZ' })).toThrow(RangeError)
    expect(() => saleIdOf({ locationCode: 'N101', lane: '01', sequence: 1, salt: 'K-7' })).toThrow(RangeError)
  })
  it('conforms to the contract, is never a collector number, and differs when the sequence does', () => {
    const parts = fc.record({
      locationCode: fc.stringMatching(/^[A-Za-z0-9]{1,4}$/),
      lane: fc.stringMatching(/^\d{2}$/),
      sequence: fc.integer({ min: 0, max: 99_999_998 }),
      salt: fc.stringMatching(/^[A-Z0-9]{4}$/),
    })
    fc.assert(
      fc.property(parts, (sale) => {
        const id = saleIdOf(sale)
        expect(SaleId.safeParse(id).success).toBe(true)
        expect(id).toMatch(/[A-Z]/)
        expect(COLLECTOR_NUMBER_PATTERN.test(id)).toBe(false)
        expect(saleIdOf({ ...sale, sequence: sale.sequence + 1 })).not.toBe(id)
      }),
    )
  })
})
