import { expect, test } from 'vitest'
import { sessionCookieOf } from './session-cookie.ts'
import { startTestServer } from './testing.ts'

const startLane = (lane: string) =>
  startTestServer({
    sessionCookie: sessionCookieOf('N° 101', lane),
    routes: () => [
      (app) => {
        app.get('/api/for-window', { config: { access: 'window' } }, () => ({ ok: true }))
      },
    ],
  })

test('two lanes of one machine, open in one browser, take no window from the other', async () => {
  const lanes = [await startLane('01'), await startLane('02')]
  // The browser keeps cookies by name, whichever port gave them, and shows all of them to each lane.
  const jar = new Map(lanes.map((lane) => lane.openWindow()).map((cookie) => [cookie.split('=')[0], cookie]))
  const cookie = [...jar.values()].join('; ')
  for (const lane of lanes) expect((await lane.call('GET', '/api/for-window', { cookie })).status).toBe(200)
})
