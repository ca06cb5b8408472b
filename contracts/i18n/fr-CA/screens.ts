import type { SameKeys } from '../same-keys.ts'
import type english from '../en-CA/screens.ts'
import catalog from './screens/catalog.ts'
import customer from './screens/customer.ts'
import dayEnd from './screens/day-end.ts'
import devices from './screens/devices.ts'
import frame from './screens/frame.ts'
import keyboard from './screens/keyboard.ts'
import laneDay from './screens/lane-day.ts'
import member from './screens/member.ts'
import payment from './screens/payment.ts'
import people from './screens/people.ts'
import returns from './screens/returns.ts'
import sale from './screens/sale.ts'
import store from './screens/store.ts'

export default {
  ...frame,
  ...keyboard,
  ...people,
  ...sale,
  ...laneDay,
  ...member,
  ...payment,
  ...returns,
  ...store,
  ...catalog,
  ...dayEnd,
  ...devices,
  ...customer,
} as const satisfies SameKeys<typeof english>
