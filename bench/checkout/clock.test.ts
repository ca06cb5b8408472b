import { describe, expect, it } from 'vitest'
import { offsetFrom } from './clock.ts'

describe('the offset between the clocks of two processes', () => {
  it('is the middle of the range that all readings allow, and its uncertainty is half of that range', () => {
    // The other clock is 5 ms ahead. In the first reading the request was fast, in the second the response.
    const offset = offsetFrom(
      [
        { before: 100, theirs: 105.1, after: 104 },
        { before: 200, theirs: 207.9, after: 203 },
      ],
      0,
    )
    expect(offset.offsetMs).toBeCloseTo(5, 6)
    expect(offset.uncertaintyMs).toBeCloseTo(0.1, 6)
  })

  it('has an uncertainty that covers the true offset to a clock that rounds down', () => {
    // The true offset is 0: the other clock showed 100.0 at 100.08.
    const { offsetMs, uncertaintyMs } = offsetFrom([{ before: 100.07, theirs: 100, after: 100.09 }], 0.1)
    expect(Math.abs(offsetMs)).toBeLessThanOrEqual(uncertaintyMs)
  })

  it('cannot be computed from contradictory readings or without readings', () => {
    expect(() =>
      offsetFrom(
        [
          { before: 100, theirs: 105, after: 101 },
          { before: 200, theirs: 305, after: 201 },
        ],
        0,
      ),
    ).toThrow('cannot be compared')
    expect(() => offsetFrom([], 0)).toThrow('cannot be compared')
  })
})
