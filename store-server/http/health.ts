import type { Feature } from './server.ts'

/** GET /health: whether the server is up, and its time, for whoever watches it. Says nothing of stores or lanes. */
export const health = (features: readonly string[]): Feature => ({
  name: 'health',
  routes(app) {
    app.get('/health', () => ({ status: 'up', features, serverTime: new Date().toISOString() }))
  },
})
