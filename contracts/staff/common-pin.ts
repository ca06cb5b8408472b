const FAVOURITES = new Set([
  '2580',
  '0852',
  '1470',
  '3690',
  '1590',
  '7531',
  '1379',
  '1397',
  '9713',
  '5683',
  '1004',
  '1236',
  '4200',
  '0007',
  '123321',
  '159753',
  '147258',
  '258369',
  '147258369',
  '654321',
  '112233',
  '520520',
])

/**
 * Whether a PIN would be guessed early: one digit, the same step from digit to digit (1234, 8642, 7890), a repeated or
 * mirrored part (1212, 2112, 123123), pairs (1122), a year, a date, or a frequent choice.
 */
export function isCommonPin(pin: string): boolean {
  return (
    FAVOURITES.has(pin) ||
    hasOneStep(pin) ||
    isRepeated(pin) ||
    isMirrored(pin) ||
    /^(?:(\d)\1)+$/.test(pin) ||
    isYear(pin) ||
    isDate(pin)
  )
}

/** Whether each digit has the same distance to the next. Counting wraps after 9: 7890 and 9012. */
function hasOneStep(pin: string): boolean {
  const digits = [...pin].map(Number)
  const steps = new Set(digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10))
  return steps.size === 1
}

const isRepeated = (pin: string): boolean =>
  [1, 2, 3, 4].some(
    (length) =>
      pin.length > length && pin.length % length === 0 && pin === pin.slice(0, length).repeat(pin.length / length),
  )
const isMirrored = (pin: string): boolean => pin === [...pin].toReversed().join('')
const isYear = (pin: string): boolean => /^(?:19|20)\d\d$/.test(pin)

const isDay = (text: string): boolean => Number(text) >= 1 && Number(text) <= 31
const isMonth = (text: string): boolean => Number(text) >= 1 && Number(text) <= 12
const isDayAndMonth = (text: string): boolean =>
  (isDay(text.slice(0, 2)) && isMonth(text.slice(2))) || (isMonth(text.slice(0, 2)) && isDay(text.slice(2)))

function isDate(pin: string): boolean {
  if (pin.length === 4) return isDayAndMonth(pin)
  if (pin.length === 6) return isDayAndMonth(pin.slice(0, 4)) || isDayAndMonth(pin.slice(2))
  if (pin.length === 8)
    return (
      (isYear(pin.slice(0, 4)) && isDayAndMonth(pin.slice(4))) ||
      (isYear(pin.slice(4)) && isDayAndMonth(pin.slice(0, 4)))
    )
  return false
}
