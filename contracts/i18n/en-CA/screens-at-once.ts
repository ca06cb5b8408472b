import frame from './screens/frame.ts'
import keyboard from './screens/keyboard.ts'
import people from './screens/people.ts'
import sale from './screens/sale.ts'
import laneDay from './screens/lane-day.ts'
import member from './screens/member.ts'
import basketOffers from './screens/basket-offers.ts'
import payment from './screens/payment.ts'
import returns from './screens/returns.ts'
import store from './screens/store.ts'
import devices from './screens/devices.ts'
import customer from './screens/customer.ts'

/** What a window says until somebody opens the pages of the store: all that it must have at once. */
export default {
  ...frame,
  ...keyboard,
  ...people,
  ...sale,
  ...laneDay,
  ...member,
  ...basketOffers,
  ...payment,
  ...returns,
  ...store,
  ...devices,
  ...customer,
} as const
