import type { DemoLane } from './lanes.ts'

const HEAD = { id: 'lane', launchUrl: 'open' }

export const tableOf = (lanes: readonly Pick<DemoLane, 'id' | 'launchUrl'>[]): string => {
  const width = Math.max(...[HEAD, ...lanes].map(({ id }) => id.length))
  return [HEAD, ...lanes].map(({ id, launchUrl }) => `  ${id.padEnd(width)}  ${launchUrl}`).join('\n')
}
