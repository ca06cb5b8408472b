import { EventEmitter, once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { customerPlace, isOffScreen, keepSecondScreen, type Place, type Rectangle } from './second-screen.ts'

const at = (id: number, x: number, width = 1024, height = 768): Place => ({ id, bounds: { x, y: 0, width, height } })
const [LANE, CUSTOMER, THIRD] = [at(1, 0), at(2, 1024), at(3, 2048)]

describe('the screen of a window', () => {
  it.each([
    ['none if there is one screen', [LANE], 1, null, null],
    ['the other of two screens', [LANE, CUSTOMER], 1, null, 2],
    ['the first of two screens if the cashier’s window is on the second', [LANE, CUSTOMER], 2, null, 1],
    ['the first of the other two, in the order of the system', [LANE, CUSTOMER, THIRD], 1, null, 2],
    ['the current screen, although a third one comes before it in the list', [LANE, THIRD, CUSTOMER], 1, 2, 2],
    ['another screen if the current one has become the cashier’s', [LANE, CUSTOMER, THIRD], 2, 2, 1],
    ['none if the other screen mirrors the cashier’s in another size', [LANE, at(2, 0, 1920, 1080)], 1, null, null],
    ['none if the other screen has no extent', [LANE, at(2, 1024, 0, 0)], 1, null, null],
    ['the only screen if the cashier’s screen is unknown', [CUSTOMER], 9, null, 2],
  ])(
    'is chosen for the customer’s window by the places of the screens and of the cashier’s window: %s',
    (_case, places, cashierId, currentId, expected) => {
      expect(customerPlace(places, cashierId, currentId)?.id ?? null).toBe(expected)
    },
  )

  it('is missing if the window is outside of all screens, but not if a corner is visible', () => {
    expect(isOffScreen({ x: 1100, y: 50, width: 800, height: 600 }, [LANE])).toBe(true)
    expect(isOffScreen({ x: 1000, y: 700, width: 800, height: 600 }, [LANE])).toBe(false)
    expect(isOffScreen({ x: 1100, y: 50, width: 800, height: 600 }, [LANE, CUSTOMER])).toBe(false)
  })
})

function makeLane(places: readonly Place[]) {
  const changes = new EventEmitter()
  const opened: number[] = []
  const state = { places, cashier: LANE.bounds as Rectangle | null, open: null as number | null }
  keepSecondScreen(
    {
      places: () => state.places,
      idUnder: ({ x }) => state.places.find(({ bounds }) => bounds.x === x)?.id ?? state.places[0]?.id ?? 0,
      onChange: (listener) => changes.on('change', listener),
    },
    {
      bounds: () => state.cashier,
      bringBack: () => {
        state.cashier = state.places[0]?.bounds ?? null
        return state.places[0]?.id ?? 0
      },
    },
    ({ x }) => {
      opened.push(x)
      state.open = x
      changes.emit('opened')
      return {
        close: () => {
          state.open = null
          changes.emit('closed')
        },
      }
    },
    5,
  )
  const change = (now: readonly Place[]): void => {
    state.places = now
    changes.emit('change')
  }
  return { state, opened, change, changes }
}

describe('a lane whose screens are connected and disconnected', () => {
  it('opens the customer’s window when a second screen is connected, and closes it with the screen', async () => {
    const { state, opened, change, changes } = makeLane([LANE])
    expect(state.open).toBeNull()
    const openedEvent = once(changes, 'opened')
    change([LANE, CUSTOMER])
    await openedEvent
    const went = once(changes, 'closed')
    change([LANE])
    await went
    const back = once(changes, 'opened')
    change([LANE, CUSTOMER])
    await back
    expect(opened).toEqual([1024, 1024])
  })

  it('keeps the customer’s window while a screen wakes up: off, on in another size, then as before', () => {
    vi.useFakeTimers()
    try {
      const { state, opened, change } = makeLane([LANE, CUSTOMER])
      change([LANE])
      vi.advanceTimersByTime(4)
      change([LANE, at(2, 1024, 640, 480)])
      vi.advanceTimersByTime(4)
      change([LANE, CUSTOMER])
      vi.advanceTimersByTime(1_000)
      expect([opened, state.open]).toEqual([[1024], 1024])
      change([LANE, at(2, 1024, 1920, 1080)])
      vi.advanceTimersByTime(1_000)
      expect(opened, 'another size fills another place').toEqual([1024, 1024])
    } finally {
      vi.useRealTimers()
    }
  })

  it('moves the cashier’s window from a disconnected screen, so that no screen is left for the customer', async () => {
    const { state, change, changes } = makeLane([LANE, CUSTOMER])
    const closed = once(changes, 'closed')
    change([CUSTOMER])
    await closed
    expect(state.cashier).toEqual(CUSTOMER.bounds)
    expect(state.open, 'it would lie over the sale').toBeNull()
  })

  it('changes no window while there is no screen or no cashier’s window', () => {
    vi.useFakeTimers()
    try {
      const { state, opened, change } = makeLane([LANE, CUSTOMER])
      change([])
      vi.advanceTimersByTime(1_000)
      expect(state.open).toBe(1024)
      state.cashier = null
      change([LANE])
      vi.advanceTimersByTime(1_000)
      expect([state.open, opened]).toEqual([1024, [1024]])
    } finally {
      vi.useRealTimers()
    }
  })
})
