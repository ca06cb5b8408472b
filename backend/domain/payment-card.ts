/**
 * True for text that holds a payment card's number: 13 to 19 digits, spaces and hyphens between them or not, whose
 * check digit is right (ISO/IEC 7812-1, the Luhn formula). Approval numbers of card terminals are far shorter.
 */
export function looksLikePaymentCard(text: string): boolean {
  return (text.match(/\d(?:[ -]?\d){12,18}/g) ?? []).some((run) => passesLuhn(run.replace(/\D/g, '')))
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
